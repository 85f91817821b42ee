package internal.assay.client;

import internal.assay.common.v1.JobEvent;
import internal.assay.gateway.v1.AskRequest;
import internal.assay.gateway.v1.AskResponse;
import internal.assay.gateway.v1.ConversationServiceGrpc.ConversationServiceBlockingStub;
import internal.assay.gateway.v1.JobServiceGrpc.JobServiceBlockingStub;
import internal.assay.gateway.v1.WatchJobRequest;
import internal.assay.gateway.v1.WatchJobResponse;
import java.util.EnumSet;
import java.util.Iterator;

/** Streams of events that go on behind what arrived. */
final class Watching {
  private Watching() {}

  static Resuming<JobEvent> watch(JobServiceBlockingStub jobs, Patience patience, String jobId, long after) {
    long[] seen = {after};
    return new Resuming<>(patience, () -> {
      var request = WatchJobRequest.newBuilder().setJobId(jobId).setAfterSequence(seen[0]).build();
      return events(jobs.watchJob(request));
    }, event -> {
      // A place in the queue, and how far a model or the reading of a file is, are told and not
      // kept: they have the number of what came before them.
      boolean passing = event.hasProgress();
      boolean fresh = event.getSequence() > seen[0];
      seen[0] = Math.max(seen[0], event.getSequence());
      return fresh || passing;
    });
  }

  private static Iterator<JobEvent> events(Iterator<WatchJobResponse> told) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return told.hasNext();
      }

      @Override
      public JobEvent next() {
        return told.next().getEvent();
      }
    };
  }

  static Resuming<AskResponse> say(ConversationServiceBlockingStub stub, Patience patience, AskRequest said) {
    AskRequest.Builder request = said.toBuilder();
    if (request.getRequestId().isEmpty()) {
      request.setRequestId(Calling.newId());
    }
    var known = EnumSet.noneOf(AskResponse.ToldCase.class);
    return new Resuming<>(patience, () -> stub.ask(request.build()), one -> {
      if (one.hasEvent()) {
        request.setAfterSequence(Math.max(request.getAfterSequence(), one.getEvent().getSequence()));
        return true;
      }
      return known.add(one.getToldCase()); // not what a broken stream had told already
    });
  }
}
