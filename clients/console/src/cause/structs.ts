// Reading what agents left as JSON: nothing there is taken for granted.
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

export function objectOf(value: JsonValue | undefined): JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function numberOf(value: JsonValue | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

export function textsOf(value: JsonValue | undefined): readonly string[] {
  return listOf(value).filter((one): one is string => typeof one === "string");
}
