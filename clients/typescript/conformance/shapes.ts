// Jobs and tables as the script writes them.
import { DataType, type Table, TimeUnit, type Vector } from "apache-arrow";

import { type Job, JobState } from "../src/index.js";

/** What the script looks at of a job. */
export function ofJob(job: Job) {
  const answer = job.result.case === "answer" ? job.result.value : undefined;
  return {
    job: job.jobId,
    state: JobState[job.state],
    answer: answer?.text ?? "",
    claims: answer?.claims.map((claim) => claim.value) ?? [],
    rows: Number(answer?.table?.rows ?? 0n),
    options: job.clarification?.options.map((option) => ({ id: option.optionId, text: option.text })) ?? [],
    reason: job.failure?.reason ?? "",
    understood: job.understood,
  };
}

/** A table with types and values as the script writes them. */
export function ofTable(table: Table) {
  const columns = table.schema.fields.map((field, place) => {
    const vector = table.getChildAt(place)!;
    return { name: `${field.name} ${typeName(field.type)}`, cells: [...cells(vector)] };
  });
  const rows = Array.from({ length: table.numRows }, (_, row) => columns.map((column) => column.cells[row]));
  return { columns: columns.map((column) => column.name), rows };
}

function typeName(type: DataType): string {
  if (DataType.isInt(type)) return "integer";
  if (DataType.isFloat(type)) return "float";
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) return "text";
  if (DataType.isBool(type)) return "boolean";
  if (DataType.isDate(type)) return "date";
  if (DataType.isTimestamp(type)) return "timestamp";
  if (DataType.isDecimal(type)) return `decimal(${type.precision},${type.scale})`;
  return type.toString();
}

function* cells(vector: Vector): Generator<unknown> {
  for (let row = 0; row < vector.length; row++) {
    yield vector.isValid(row) ? cell(vector.type, vector.get(row)) : null;
  }
}

function cell(type: DataType, value: unknown): unknown {
  if (DataType.isInt(type)) return Number(value);
  if (DataType.isDate(type)) return new Date(value as number).toISOString().slice(0, 10);
  // Arrow's JavaScript gives moments in milliseconds, whatever their unit.
  if (DataType.isTimestamp(type) && type.unit !== TimeUnit.NANOSECOND) {
    return new Date(value as number).toISOString().slice(0, 19);
  }
  if (DataType.isDecimal(type)) return decimal(value as Uint32Array, type.scale);
  return value;
}

/** The exact text of a decimal: four words, the least first, in two's complement. */
function decimal(words: Uint32Array, scale: number): string {
  const whole = words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  const signed = BigInt.asIntN(32 * words.length, whole);
  const digits = (signed < 0n ? -signed : signed).toString().padStart(scale + 1, "0");
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return signed < 0n ? `-${text}` : text;
}
