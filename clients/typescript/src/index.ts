export * from "../gen/assay/common/v1/access_pb.js";
export * from "../gen/assay/common/v1/analysis_pb.js";
export * from "../gen/assay/common/v1/data_pb.js";
export * from "../gen/assay/common/v1/job_pb.js";
export { newId } from "./calling.js";
export { AssayClient, type ClientOptions } from "./client.js";
export { AssayError, Reason } from "./errors.js";
