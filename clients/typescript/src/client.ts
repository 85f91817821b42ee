// Ask Assay from TypeScript: the generated stubs, and what takes more than one call.
import { readFileSync } from "node:fs";

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { createClient, type CallOptions, type Client } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import type { Table } from "apache-arrow";

import { AnalysisRequestSchema, type Artifact } from "../gen/assay/common/v1/analysis_pb.js";
import type { FrameRef } from "../gen/assay/common/v1/data_pb.js";
import type { Job, JobEvent } from "../gen/assay/common/v1/job_pb.js";
import { ArtifactService } from "../gen/assay/gateway/v1/artifact_service_pb.js";
import { AuditService, type VerifyJobResponse } from "../gen/assay/gateway/v1/audit_service_pb.js";
import { CatalogueService } from "../gen/assay/gateway/v1/catalogue_service_pb.js";
import { type AskRequestSchema, type AskResponse, ConversationService } from "../gen/assay/gateway/v1/conversation_service_pb.js";
import { DomainService } from "../gen/assay/gateway/v1/domain_service_pb.js";
import { type File, FileService, type PreviewFileResponse } from "../gen/assay/gateway/v1/file_service_pb.js";
import { CreateJobRequestSchema, JobService } from "../gen/assay/gateway/v1/job_service_pb.js";
import { type Session, SessionService } from "../gen/assay/gateway/v1/session_service_pb.js";
import { SourceService } from "../gen/assay/gateway/v1/source_service_pb.js";
import { TokenService } from "../gen/assay/gateway/v1/token_service_pb.js";
import { calling, newId, repeated, RETRY_DELAYS_MS } from "./calling.js";
import { say } from "./conversations.js";
import { download, downloadFile, fileParts, uploadParts } from "./files.js";
import { readFrame } from "./frames.js";
import { watch } from "./watching.js";

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
const TRANSFER_MS = 240_000;

/** Who calls, and how patiently. */
export interface ClientOptions {
  /** An API key or a signed token; it says who calls. */
  readonly token?: string;
  /** Who asks where there is no token; "local" where it is not given, as whom the command assay asks too. */
  readonly user?: string;
  /** A PEM file of the authority that signed the server's certificate, else those that Node knows. */
  readonly authorityFile?: string;
  /** Bounds a call with one answer, with its repetitions; a minute where it is not given. */
  readonly deadlineMs?: number;
  /** Pauses before a call or a stream is made again while nobody serves. */
  readonly retryDelaysMs?: readonly number[];
}

/** A connection to the gateway at `target`: host:port, or https://host:port for TLS. Methods throw AssayError. */
export class AssayClient {
  readonly jobs: Client<typeof JobService>;
  readonly sessions: Client<typeof SessionService>;
  readonly files: Client<typeof FileService>;
  readonly artifacts: Client<typeof ArtifactService>;
  readonly audit: Client<typeof AuditService>;
  readonly conversations: Client<typeof ConversationService>;
  readonly sources: Client<typeof SourceService>;
  readonly domains: Client<typeof DomainService>;
  readonly catalogue: Client<typeof CatalogueService>;
  readonly tokens: Client<typeof TokenService>;
  readonly #delays: readonly number[];
  readonly #connection: Http2SessionManager;

  constructor(target: string, options: ClientOptions = {}) {
    const baseUrl = target.startsWith("https://") ? target : `http://${target}`;
    this.#delays = options.retryDelaysMs ?? RETRY_DELAYS_MS;
    const trusted = options.authorityFile ? { ca: readFileSync(options.authorityFile) } : {};
    this.#connection = new Http2SessionManager(baseUrl, { pingIntervalMs: 30_000 }, trusted);
    const transport = createGrpcTransport({
      baseUrl,
      sessionManager: this.#connection,
      interceptors: [calling({ ...options, retryDelaysMs: this.#delays })],
      defaultTimeoutMs: options.deadlineMs ?? 60_000,
      readMaxBytes: MAX_MESSAGE_BYTES,
      writeMaxBytes: MAX_MESSAGE_BYTES,
    });
    this.jobs = createClient(JobService, transport);
    this.sessions = createClient(SessionService, transport);
    this.files = createClient(FileService, transport);
    this.artifacts = createClient(ArtifactService, transport);
    this.audit = createClient(AuditService, transport);
    this.conversations = createClient(ConversationService, transport);
    this.sources = createClient(SourceService, transport);
    this.domains = createClient(DomainService, transport);
    this.catalogue = createClient(CatalogueService, transport);
    this.tokens = createClient(TokenService, transport);
  }

  /** Ends the connection and whatever still runs on it. */
  close(): void {
    this.#connection.abort();
  }

  /** Stores a job and starts it. A request without an id gets one: repeating it makes nothing twice. */
  async submit(request: MessageInitShape<typeof CreateJobRequestSchema>, options?: CallOptions): Promise<Job> {
    const wanted = create(CreateJobRequestSchema, request);
    wanted.requestId ||= newId();
    return (await this.jobs.createJob(wanted, options)).job!;
  }

  /** Submits a question and watches it until it is answered, fails or waits for a person; the job then. */
  async ask(
    question: MessageInitShape<typeof AnalysisRequestSchema>,
    sessionId = "",
    options?: CallOptions,
  ): Promise<Job> {
    const analysis = create(AnalysisRequestSchema, question);
    const job = await this.submit({ sessionId, work: { case: "analysis", value: analysis } }, options);
    for await (const _ of this.watch(job.jobId, 0, options)) {
      // what happens on the way is for those who watch
    }
    return this.job(job.jobId, options);
  }

  /** Events after a sequence number, each once, also through broken connections. */
  watch(jobId: string, after = 0, options?: CallOptions): AsyncGenerator<JobEvent, void> {
    return watch(this.jobs, this.#delays, jobId, after, options);
  }

  /** A job as it stands. */
  async job(jobId: string, options?: CallOptions): Promise<Job> {
    return (await this.jobs.getJob({ jobId }, options)).job!;
  }

  /** Stops a job; what was finished is kept. */
  async cancel(jobId: string, options?: CallOptions): Promise<Job> {
    return (await this.jobs.cancelJob({ jobId }, options)).job!;
  }

  /** Checks a job's chain, its place in the tree, its artifacts and its claims. */
  verify(jobId: string, options?: CallOptions): Promise<VerifyJobResponse> {
    return this.audit.verifyJob({ jobId }, options);
  }

  /** Opens a session, which holds files and jobs. */
  async openSession(title: string, options?: CallOptions): Promise<Session> {
    return (await this.sessions.createSession({ requestId: newId(), title }, options)).session!;
  }

  /**
   * Stores a file of this machine in a session. Equal content under the same name is the file that is there
   * already, so a broken upload is made again from its beginning.
   */
  uploadFile(sessionId: string, path: string, options?: CallOptions): Promise<File> {
    return repeated(this.#delays, options?.signal, async () => {
      const parts = await fileParts(sessionId, path);
      return (await this.files.uploadFile(parts, { timeoutMs: TRANSFER_MS, ...options })).file!;
    });
  }

  /** Stores pieces under a name in a session; `sizeBytes` where it is known. */
  async upload(
    sessionId: string,
    name: string,
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    sizeBytes?: number,
    options?: CallOptions,
  ): Promise<File> {
    const parts = uploadParts(sessionId, name, content, sizeBytes);
    return (await this.files.uploadFile(parts, { timeoutMs: TRANSFER_MS, ...options })).file!;
  }

  /** What a file holds: tables, columns and first rows. */
  preview(fileId: string, options?: CallOptions): Promise<PreviewFileResponse> {
    return this.files.previewFile({ fileId }, options);
  }

  /** The bytes of an uploaded file; a stream that breaks goes on behind what came. */
  downloadFile(fileId: string, options?: CallOptions): AsyncGenerator<Uint8Array, void> {
    return downloadFile(this.files, this.#delays, fileId, { timeoutMs: TRANSFER_MS, ...options });
  }

  /** An artifact, checked against its hash. */
  download(artifact: Artifact, options?: CallOptions): Promise<Uint8Array> {
    return download(this.artifacts, artifact, { timeoutMs: TRANSFER_MS, ...options });
  }

  /** A frame of a job as an Arrow table; a transfer that breaks goes on behind the last whole batch. */
  readFrame(jobId: string, frame: FrameRef, options?: CallOptions): Promise<Table> {
    const wanted = { jobId, digest: frame.digest };
    return readFrame(this.artifacts, this.#delays, wanted, frame.rows, { timeoutMs: TRANSFER_MS, ...options });
  }

  /** An Arrow file of a session as a table. */
  readFileFrame(fileId: string, options?: CallOptions): Promise<Table> {
    return readFrame(this.artifacts, this.#delays, { fileId }, undefined, { timeoutMs: TRANSFER_MS, ...options });
  }

  /**
   * Says something in a conversation, a new one where the request names none, and tells what comes of it.
   * A stream that breaks goes on; nothing is told twice.
   */
  say(request: MessageInitShape<typeof AskRequestSchema>, options?: CallOptions): AsyncGenerator<AskResponse, void> {
    return say(this.conversations, this.#delays, request, { timeoutMs: TRANSFER_MS, ...options });
  }
}
