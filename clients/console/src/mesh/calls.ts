// The public contract from the browser, by Connect: the same services, messages and refusals as over gRPC.
import { createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { signal } from "@preact/signals";
import { ArtifactService } from "@gen/assay/gateway/v1/artifact_service_pb";
import { AuditService } from "@gen/assay/gateway/v1/audit_service_pb";
import { BoardService } from "@gen/assay/gateway/v1/board_service_pb";
import { CatalogueService } from "@gen/assay/gateway/v1/catalogue_service_pb";
import { ConversationService } from "@gen/assay/gateway/v1/conversation_service_pb";
import { DefinitionService } from "@gen/assay/gateway/v1/definition_service_pb";
import { DomainService } from "@gen/assay/gateway/v1/domain_service_pb";
import { FileService } from "@gen/assay/gateway/v1/file_service_pb";
import { JobService } from "@gen/assay/gateway/v1/job_service_pb";
import { OperatorService } from "@gen/assay/gateway/v1/operator_service_pb";
import { PublicationService } from "@gen/assay/gateway/v1/publication_service_pb";
import { SessionService } from "@gen/assay/gateway/v1/session_service_pb";
import { SourceService } from "@gen/assay/gateway/v1/source_service_pb";
import { TextService } from "@gen/assay/gateway/v1/text_service_pb";
import { TokenService } from "@gen/assay/gateway/v1/token_service_pb";

import { isSignedOut, troubleOf } from "./errors";
import { newId } from "./ids";
import { signedOut } from "./who";

const identified: Interceptor = (next) => async (request) => {
  request.header.set("x-assay-request", newId());
  try {
    const response = await next(request);
    return response.stream ? { ...response, message: told(response.message) } : response;
  } catch (thrown) {
    noticed(thrown);
    throw thrown;
  }
};

/** Streams are refused while they are read. */
async function* told<T>(messages: AsyncIterable<T>): AsyncIterable<T> {
  try {
    yield* messages;
  } catch (thrown) {
    noticed(thrown);
    throw thrown;
  }
}

/** What a call was refused for, where more than its page has to know. */
export function noticed(thrown: unknown): void {
  const trouble = troubleOf(thrown);
  if (isSignedOut(trouble)) signedOut();
  if (trouble) refusedFor.value = { reason: trouble.reason };
}

/** Why the last call was refused that was. */
export const refusedFor = signal({ reason: "" });

const transport = createConnectTransport({
  baseUrl: location.origin,
  useBinaryFormat: true,
  interceptors: [identified],
});

export const artifacts = createClient(ArtifactService, transport);
export const audit = createClient(AuditService, transport);
export const boards = createClient(BoardService, transport);
export const catalogue = createClient(CatalogueService, transport);
export const conversations = createClient(ConversationService, transport);
export const definitions = createClient(DefinitionService, transport);
export const domains = createClient(DomainService, transport);
export const files = createClient(FileService, transport);
export const jobs = createClient(JobService, transport);
export const operation = createClient(OperatorService, transport);
export const publications = createClient(PublicationService, transport);
export const sessions = createClient(SessionService, transport);
export const sources = createClient(SourceService, transport);
export const texts = createClient(TextService, transport);
export const tokens = createClient(TokenService, transport);
