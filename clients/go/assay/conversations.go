package assay

import (
	"context"
	"errors"
	"io"
	"iter"

	gatewayv1 "assay.internal/gen/assay/gateway/v1"
)

// Say says something in a conversation, a new one where the request names none, and tells what comes of it:
// the message as stored, how it was read, the events of its job, the response. A stream that breaks goes on;
// nothing is told twice. Leaving the loop cancels the call, not the job.
func (c *Client) Say(ctx context.Context, request *gatewayv1.AskRequest) iter.Seq2[*gatewayv1.AskResponse, error] {
	return func(yield func(*gatewayv1.AskResponse, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if request.RequestId == "" {
			request.RequestId = NewID()
		}
		turn := turn{request: request}
		for failures := 0; ; failures++ {
			err := turn.once(ctx, c, func(told *gatewayv1.AskResponse) bool {
				failures = 0
				return yield(told, nil)
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

// turn is one message and what was told of it.
type turn struct {
	request              *gatewayv1.AskRequest
	asked, read, replied bool
}

func (t *turn) once(ctx context.Context, c *Client, tell func(*gatewayv1.AskResponse) bool) error {
	stream, err := c.Conversations.Ask(ctx, t.request)
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
		if !t.known(told) && !tell(told) {
			return errLeft
		}
	}
}

// known says whether it was told before, by a stream that broke.
func (t *turn) known(told *gatewayv1.AskResponse) bool {
	already := false
	switch one := told.GetTold().(type) {
	case *gatewayv1.AskResponse_Asked:
		already, t.asked = t.asked, true
	case *gatewayv1.AskResponse_Reading:
		already, t.read = t.read, true
	case *gatewayv1.AskResponse_Response:
		already, t.replied = t.replied, true
	case *gatewayv1.AskResponse_Event:
		t.request.AfterSequence = max(t.request.AfterSequence, one.Event.GetSequence())
	}
	return already
}
