"""What Bob tries on Ann's conversations."""

from __future__ import annotations

from assay.gateway.v1 import conversation_service_pb2 as talk_pb
from mesh.ids import new_id
from tests.mesh.bobs import said_in_a_session_of_anns, said_in_anns
from tests.mesh.case import NOTHING, Case, one

_GATEWAY = "/assay.gateway.v1"

CONVERSATION_CASES: dict[str, list[Case]] = {
    f"{_GATEWAY}.ConversationService/Ask": [
        one(said_in_anns, recorded="conversation"),
        one(said_in_a_session_of_anns, recorded="session"),
        one(
            lambda o: talk_pb.AskRequest(
                request_id=new_id(), continues_job_id=o.job, content="only north"
            ),
            recorded="job",
        ),
    ],
    f"{_GATEWAY}.ConversationService/TakeBack": [
        one(
            lambda o: talk_pb.TakeBackRequest(conversation_id=o.conversation, message_id=1),
            recorded="conversation",
        )
    ],
    f"{_GATEWAY}.ConversationService/BringBack": [
        one(
            lambda o: talk_pb.BringBackRequest(conversation_id=o.conversation, message_id=1),
            recorded="conversation",
        )
    ],
    f"{_GATEWAY}.ConversationService/GetConversation": [
        one(
            lambda o: talk_pb.GetConversationRequest(conversation_id=o.conversation),
            recorded="conversation",
        )
    ],
    f"{_GATEWAY}.ConversationService/ListConversations": [
        one(lambda o: talk_pb.ListConversationsRequest(session_id=o.session), NOTHING)
    ],
    f"{_GATEWAY}.ConversationService/ListMessages": [
        one(
            lambda o: talk_pb.ListMessagesRequest(conversation_id=o.conversation),
            recorded="conversation",
        )
    ],
    f"{_GATEWAY}.ConversationService/ArchiveConversation": [
        one(
            lambda o: talk_pb.ArchiveConversationRequest(conversation_id=o.conversation),
            recorded="conversation",
        )
    ],
    f"{_GATEWAY}.ConversationService/DeleteConversation": [
        one(
            lambda o: talk_pb.DeleteConversationRequest(conversation_id=o.conversation),
            recorded="conversation",
        )
    ],
}
