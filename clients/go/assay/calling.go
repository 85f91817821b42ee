package assay

import (
	"context"
	"errors"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// What streams may take where the caller's context does not say: a causal job has at most an hour.
const (
	transferDeadline = 240 * time.Second
	watchDeadline    = 4000 * time.Second
)

// Calls that are not made again: a second one could do something else than the first.
var onceOnly = map[string]bool{
	"/assay.gateway.v1.TokenService/CreateToken": true,
	"/assay.gateway.v1.JobService/AnswerJob":     true,
}

// calling is what every call of a client has in common.
type calling struct{ options Options }

func (c calling) identified(ctx context.Context) context.Context {
	pairs := []string{"x-assay-request", NewID()}
	if c.options.Token != "" {
		pairs = append(pairs, "authorization", "Bearer "+c.options.Token)
	}
	if c.options.User != "" {
		pairs = append(pairs, "x-assay-user", c.options.User)
	}
	return metadata.AppendToOutgoingContext(ctx, pairs...)
}

// unary gives a call with one answer its identity, its deadline and its repetitions.
func (c calling) unary(ctx context.Context, method string, request, answer any, connection *grpc.ClientConn,
	invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	ctx, cancel := bounded(c.identified(ctx), c.options.Deadline)
	defer cancel()
	delays := c.options.RetryDelays
	if onceOnly[method] {
		delays = nil
	}
	return repeated(ctx, delays, func() error {
		return invoke(ctx, method, request, answer, connection, options...)
	})
}

// stream gives a stream its identity and, where the caller has none, its deadline, which ends with it.
func (c calling) stream(ctx context.Context, description *grpc.StreamDesc, connection *grpc.ClientConn,
	method string, open grpc.Streamer, options ...grpc.CallOption) (grpc.ClientStream, error) {
	limit := transferDeadline
	if strings.HasSuffix(method, "/WatchJob") {
		limit = watchDeadline
	}
	ctx, cancel := bounded(c.identified(ctx), limit)
	options = append(options, grpc.OnFinish(func(error) { cancel() }))
	stream, err := open(ctx, description, connection, method, options...)
	if err != nil {
		cancel()
		return nil, asError(err)
	}
	return told{stream}, nil
}

// told is a stream whose errors are *Error.
type told struct{ grpc.ClientStream }

func (t told) RecvMsg(message any) error { return asError(t.ClientStream.RecvMsg(message)) }

// bounded has the deadline unless there is one already.
func bounded(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); has {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

// waited is among the metadata of an error where the mesh itself waited in vain for a service of its own.
const waited = "waited_seconds"

// repeated makes a call, and makes it again after each delay while trying again helps.
func repeated(ctx context.Context, delays []time.Duration, call func() error) error {
	for failures := 0; ; failures++ {
		err := asError(call())
		if err == nil || !retryable(err) || wasWaitedFor(err) || failures >= len(delays) {
			return err
		}
		if pause(ctx, max(delays[failures], RetryAfter(err))) != nil {
			return err // time ran out: what happened says more than that
		}
	}
}

func wasWaitedFor(err error) bool {
	var known *Error
	return errors.As(err, &known) && known.Metadata[waited] != ""
}
