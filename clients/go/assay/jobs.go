package assay

import (
	"context"
	"errors"
	"io"
	"iter"

	commonv1 "assay.internal/gen/assay/common/v1"
	gatewayv1 "assay.internal/gen/assay/gateway/v1"
)

// Submit stores a job and starts it. A request without an id gets one, so that repeating it makes nothing
// twice.
func (c *Client) Submit(ctx context.Context, request *gatewayv1.CreateJobRequest) (*commonv1.Job, error) {
	if request.RequestId == "" {
		request.RequestId = NewID()
	}
	answer, err := c.Jobs.CreateJob(ctx, request)
	return answer.GetJob(), err
}

// Ask submits a question and watches it until it is answered, fails or waits for a person; the job as it
// stands then.
func (c *Client) Ask(ctx context.Context, question *commonv1.AnalysisRequest, sessionID string) (
	*commonv1.Job, error) {
	job, err := c.Submit(ctx, &gatewayv1.CreateJobRequest{
		SessionId: sessionID, Work: &gatewayv1.CreateJobRequest_Analysis{Analysis: question},
	})
	if err != nil {
		return nil, err
	}
	for _, err := range c.Watch(ctx, job.GetJobId(), 0) {
		if err != nil {
			return job, err
		}
	}
	return c.Job(ctx, job.GetJobId())
}

// Job is a job as it stands.
func (c *Client) Job(ctx context.Context, jobID string) (*commonv1.Job, error) {
	answer, err := c.Jobs.GetJob(ctx, &gatewayv1.GetJobRequest{JobId: jobID})
	return answer.GetJob(), err
}

// Cancel stops a job; what was finished is kept.
func (c *Client) Cancel(ctx context.Context, jobID string) (*commonv1.Job, error) {
	answer, err := c.Jobs.CancelJob(ctx, &gatewayv1.CancelJobRequest{JobId: jobID})
	return answer.GetJob(), err
}

// Verify checks a job's chain, its place in the tree, its artifacts and its claims.
func (c *Client) Verify(ctx context.Context, jobID string) (*gatewayv1.VerifyJobResponse, error) {
	return c.Audit.VerifyJob(ctx, &gatewayv1.VerifyJobRequest{JobId: jobID})
}

// Watch gives the events after a sequence number, each once, until the job ended or waits for a person. A
// stream that breaks goes on behind the last event that arrived. Leaving the loop cancels the call.
func (c *Client) Watch(ctx context.Context, jobID string, after int64) iter.Seq2[*commonv1.JobEvent, error] {
	return func(yield func(*commonv1.JobEvent, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for failures := 0; ; failures++ {
			err := c.watchOnce(ctx, jobID, &after, func(event *commonv1.JobEvent) bool {
				failures = 0
				return yield(event, nil)
			})
			if err == nil || errors.Is(err, errLeft) {
				return
			}
			if !retryable(err) || failures >= len(c.options.RetryDelays) ||
				pause(ctx, c.options.RetryDelays[failures]) != nil {
				yield(nil, err)
				return
			}
		}
	}
}

var errLeft = errors.New("the caller wants no more")

func (c *Client) watchOnce(ctx context.Context, jobID string, after *int64,
	tell func(*commonv1.JobEvent) bool) error {
	stream, err := c.Jobs.WatchJob(ctx, &gatewayv1.WatchJobRequest{JobId: jobID, AfterSequence: *after})
	if err != nil {
		return err
	}
	for {
		told, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		event := told.GetEvent()
		// A place in the queue, and how far a model or the reading of a file is, are told and not
		// kept: they have the number of what came before them.
		passing := event.GetProgress() != nil
		if event.GetSequence() <= *after && !passing {
			continue
		}
		*after = max(*after, event.GetSequence())
		if !tell(event) {
			return errLeft
		}
	}
}
