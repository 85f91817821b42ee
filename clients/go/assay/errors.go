package assay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const domain = "assay.internal"

// Reasons of errors that a server did not send, as they read. docs/errors.md has all others.
const (
	Unavailable        = "SERVICE_UNAVAILABLE"
	Timeout            = "TIMEOUT"
	Cancelled          = "CANCELLED"
	Internal           = "INTERNAL"
	VerificationFailed = "VERIFICATION_FAILED"
	NotReadable        = "SOURCE_NOT_READABLE"
)

// Error is a refusal or failure of a call. Branch on its Reason; its words are for people and may change.
type Error struct {
	// Reason is stable; docs/errors.md lists them.
	Reason string
	// Code is gRPC's.
	Code codes.Code
	// Message says what is wrong and where.
	Message string
	// Remedy says what to do.
	Remedy string
	// Fields are those of the request that are wrong, by their full paths.
	Fields map[string]string
	// Metadata are further particulars, by name.
	Metadata map[string]string
	// Retryable says whether the same call may succeed later.
	Retryable bool
	// After is how long to wait before that; zero where the server does not say.
	After time.Duration
}

// Error has the reason, what is wrong, and what to do.
func (e *Error) Error() string {
	if e.Remedy == "" {
		return fmt.Sprintf("%s: %s", e.Reason, e.Message)
	}
	return fmt.Sprintf("%s: %s. %s", e.Reason, strings.TrimRight(e.Message, "."), e.Remedy)
}

// ReasonOf is the reason of an error of this package; empty for any other.
func ReasonOf(err error) string {
	var known *Error
	if errors.As(err, &known) {
		return known.Reason
	}
	return ""
}

// RetryAfter is how long the server asks to wait; zero where it does not.
func RetryAfter(err error) time.Duration {
	var known *Error
	if errors.As(err, &known) {
		return known.After
	}
	return 0
}

func retryable(err error) bool {
	var known *Error
	return errors.As(err, &known) && known.Retryable
}

// asError makes an *Error of a call's error; nil and the end of a stream stay what they are.
func asError(err error) error {
	var known *Error
	if err == nil || errors.Is(err, io.EOF) || errors.As(err, &known) {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Reason: Timeout, Code: codes.DeadlineExceeded, Message: "the server did not answer in time."}
	}
	if errors.Is(err, context.Canceled) {
		return &Error{Reason: Cancelled, Code: codes.Canceled, Message: "the call was cancelled."}
	}
	said, ok := status.FromError(err)
	if !ok {
		return err
	}
	made := &Error{Code: said.Code(), Message: said.Message(), Retryable: said.Code() == codes.Unavailable}
	for _, detail := range said.Details() {
		switch one := detail.(type) {
		case *errdetails.ErrorInfo:
			if one.GetDomain() == domain {
				made.Reason, made.Metadata = one.GetReason(), one.GetMetadata()
				made.Remedy = made.Metadata["remedy"]
				delete(made.Metadata, "remedy")
			}
		case *errdetails.RetryInfo:
			made.Retryable, made.After = true, one.GetRetryDelay().AsDuration()
		case *errdetails.BadRequest:
			made.Fields = map[string]string{}
			for _, violation := range one.GetFieldViolations() {
				made.Fields[violation.GetField()] = violation.GetDescription()
			}
		}
	}
	if made.Reason == "" {
		made.Reason = foreign(said.Code())
	}
	return made
}

// foreign is how a status of the transport's own reads as a reason.
func foreign(code codes.Code) string {
	switch code {
	case codes.Unavailable:
		return Unavailable
	case codes.DeadlineExceeded:
		return Timeout
	case codes.Canceled:
		return Cancelled
	default:
		return Internal
	}
}
