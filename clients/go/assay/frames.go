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
	request := &gatewayv1.ReadFrameRequest{JobId: jobID, Digest: frame.GetDigest()}
	return c.frame(ctx, request, frame.GetRows())
}

// ReadFileFrame is an Arrow file of a session as a table, which the caller releases.
func (c *Client) ReadFileFrame(ctx context.Context, fileID string) (arrow.Table, error) {
	return c.frame(ctx, &gatewayv1.ReadFrameRequest{FileId: fileID}, -1)
}

// frame reads what is asked for, of so many rows where that is known.
func (c *Client) frame(ctx context.Context, request *gatewayv1.ReadFrameRequest, rows int64) (arrow.Table, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var arrived batches
	defer arrived.release()
	for failures := 0; ; failures++ {
		before := arrived.rows
		err := c.readFrom(ctx, request, &arrived)
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
	if rows >= 0 && arrived.rows != rows {
		return nil, &Error{
			Reason: VerificationFailed, Code: codes.DataLoss,
			Message: fmt.Sprintf("frame %s arrived with %d rows instead of %d.",
				request.GetDigest(), arrived.rows, rows),
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

func (c *Client) readFrom(ctx context.Context, request *gatewayv1.ReadFrameRequest, arrived *batches) error {
	request.FirstRow = arrived.rows
	stream, err := c.Artifacts.ReadFrame(ctx, request)
	if err != nil {
		return err
	}
	source := &pieces{next: func() ([]byte, error) {
		piece, err := stream.Recv()
		return piece.GetChunk().GetData(), err
	}}
	reader, err := ipc.NewReader(source)
	if err != nil {
		return source.fault(err)
	}
	defer reader.Release()
	arrived.schema = reader.Schema()
	for reader.Next() {
		batch := reader.RecordBatch()
		batch.Retain()
		arrived.all = append(arrived.all, batch)
		arrived.rows += batch.NumRows()
	}
	return source.fault(reader.Err())
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
func (p *pieces) fault(err error) error {
	if p.err != nil && !errors.Is(p.err, io.EOF) {
		return p.err
	}
	if err == nil {
		return nil
	}
	return &Error{
		Reason: NotReadable, Code: codes.DataLoss,
		Message: fmt.Sprintf("the frame is no Arrow stream: %v.", err), Remedy: "Read it again.",
	}
}
