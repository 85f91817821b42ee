import type { Look } from "@gen/assay/common/v1/look_pb";
import type { Data, Reading } from "../look/asking";
export interface MeaningProps { readonly data: Data; readonly look: Look; readonly reading: Reading; readonly keep: boolean }
export function Meaning(_: MeaningProps) { return <p>soon</p>; }
