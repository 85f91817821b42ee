package assay

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"google.golang.org/grpc/codes"

	commonv1 "assay.internal/gen/assay/common/v1"
	gatewayv1 "assay.internal/gen/assay/gateway/v1"
)

// ReadFrame is a frame of a job as a table, which the caller releases. A transfer that breaks goes on behind
// the last batch that came whole; a table with another number of rows than the frame is refused.
func (c *Client) ReadFrame(ctx context.Context, jobID string, frame *commonv1.FrameRef) (arrow.Table, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var arrived batches
	defer arrived.release()
	for failures := 0; ; failures++ {
		before := arrived.rows
		err := c.readFrom(ctx, jobID, frame.GetDigest(), &arrived)
		if err == nil {
			break
		}
		var known *Error
		if errors.As(err, &known) && known.Code == codes.InvalidArgument && before > 0 {
			arrived.release() // whoever serves now has the frame in other batches
			continue
		}
		if arrived.rows > before {
			failures = 0
		}
		if !retryable(err) || failures >= len(c.options.RetryDelays) ||
			pause(ctx, c.options.RetryDelays[failures]) != nil {
			return nil, err
		}
	}
	if arrived.rows != frame.GetRows() {
		return nil, &Error{
			Reason: VerificationFailed, Code: codes.DataLoss,
			Message: fmt.Sprintf("frame %s arrived with %d rows instead of %d.",
				frame.GetDigest(), arrived.rows, frame.GetRows()),
		}
	}
	return array.NewTableFromRecords(arrived.schema, arrived.all), nil
}

// batches are what arrived of a frame.
type batches struct {
	schema *arrow.Schema
	all    []arrow.RecordBatch
	rows   int64
}

func (b *batches) release() {
	for _, one := range b.all {
		one.Release()
	}
	b.all, b.rows = nil, 0
}

func (c *Client) readFrom(ctx context.Context, jobID, digest string, arrived *batches) error {
	stream, err := c.Artifacts.ReadFrame(ctx, &gatewayv1.ReadFrameRequest{
		JobId: jobID, Digest: digest, FirstRow: arrived.rows,
	})
	if err != nil {
		return err
	}
	source := &pieces{next: func() ([]byte, error) {
		piece, err := stream.Recv()
		return piece.GetChunk().GetData(), err
	}}
	reader, err := ipc.NewReader(source)
	if err != nil {
		return source.fault(digest, err)
	}
	defer reader.Release()
	arrived.schema = reader.Schema()
	for reader.Next() {
		batch := reader.RecordBatch()
		batch.Retain()
		arrived.all = append(arrived.all, batch)
		arrived.rows += batch.NumRows()
	}
	return source.fault(digest, reader.Err())
}

// pieces are a stream's pieces as one reader, which remembers why it ended.
type pieces struct {
	next func() ([]byte, error)
	rest []byte
	err  error
}

func (p *pieces) Read(into []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		p.rest, p.err = p.next()
	}
	count := copy(into, p.rest)
	p.rest = p.rest[count:]
	return count, nil
}

// fault is what went wrong: the transfer, else the content.
func (p *pieces) fault(digest string, err error) error {
	if p.err != nil && !errors.Is(p.err, io.EOF) {
		return p.err
	}
	if err == nil {
		return nil
	}
	return &Error{
		Reason: NotReadable, Code: codes.DataLoss,
		Message: fmt.Sprintf("frame %s is no Arrow stream: %v.", digest, err), Remedy: "Read it again.",
	}
}
