package assay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"google.golang.org/grpc/codes"

	commonv1 "assay.internal/gen/assay/common/v1"
	gatewayv1 "assay.internal/gen/assay/gateway/v1"
)

const pieceBytes = 512 << 10

// OpenSession opens a session, which holds files and jobs.
func (c *Client) OpenSession(ctx context.Context, title string) (*gatewayv1.Session, error) {
	answer, err := c.Sessions.CreateSession(ctx, &gatewayv1.CreateSessionRequest{RequestId: NewID(), Title: title})
	return answer.GetSession(), err
}

// UploadFile stores a file of this machine in a session. Equal content under the same name is the file that
// is there already, so a broken upload is made again from its beginning.
func (c *Client) UploadFile(ctx context.Context, sessionID, path string) (*gatewayv1.File, error) {
	var stored *gatewayv1.File
	err := repeated(ctx, c.options.RetryDelays, func() error {
		file, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("assay: cannot upload: %w", err)
		}
		defer file.Close()
		about, err := file.Stat()
		if err != nil {
			return fmt.Errorf("assay: cannot upload: %w", err)
		}
		stored, err = c.Upload(ctx, sessionID, filepath.Base(path), file, about.Size())
		return err
	})
	return stored, err
}

// Upload stores what a reader gives under a name in a session; size is negative where it is not known.
func (c *Client) Upload(ctx context.Context, sessionID, name string, content io.Reader, size int64) (
	*gatewayv1.File, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.Files.UploadFile(ctx)
	if err != nil {
		return nil, err
	}
	head := &gatewayv1.UploadFileHead{SessionId: sessionID, Name: name}
	if size >= 0 {
		head.SizeBytes = &size
	}
	err = stream.Send(&gatewayv1.UploadFileRequest{Part: &gatewayv1.UploadFileRequest_Head{Head: head}})
	piece := make([]byte, pieceBytes)
	for err == nil {
		count, ended := io.ReadFull(content, piece)
		if count > 0 {
			chunk := &commonv1.FileChunk{Data: piece[:count]}
			err = stream.Send(&gatewayv1.UploadFileRequest{Part: &gatewayv1.UploadFileRequest_Chunk{Chunk: chunk}})
		}
		if errors.Is(ended, io.EOF) || errors.Is(ended, io.ErrUnexpectedEOF) {
			break
		}
		if ended != nil {
			return nil, fmt.Errorf("assay: cannot upload: %w", ended)
		}
	}
	// A refusal ends sending with io.EOF; the answer says which it is.
	answer, err := stream.CloseAndRecv()
	return answer.GetFile(), err
}

// Preview is what a file holds: tables, columns and first rows.
func (c *Client) Preview(ctx context.Context, fileID string) (*gatewayv1.PreviewFileResponse, error) {
	return c.Files.PreviewFile(ctx, &gatewayv1.PreviewFileRequest{FileId: fileID})
}

// Download fetches an artifact and checks it against its hash. Use nothing of what was written where it
// gives an error.
func (c *Client) Download(ctx context.Context, artifact *commonv1.Artifact, to io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.Artifacts.DownloadArtifact(ctx, &gatewayv1.DownloadArtifactRequest{
		JobId: artifact.GetJobId(), ArtifactId: artifact.GetArtifactId(),
	})
	if err != nil {
		return err
	}
	digest := sha256.New()
	for {
		piece, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		digest.Write(piece.GetChunk().GetData())
		if _, err := to.Write(piece.GetChunk().GetData()); err != nil {
			return fmt.Errorf("assay: cannot keep what is downloaded: %w", err)
		}
	}
	if hex.EncodeToString(digest.Sum(nil)) != artifact.GetContentHash() {
		return &Error{
			Reason: VerificationFailed, Code: codes.DataLoss,
			Message: artifact.GetContentRef() + " arrived with other bytes than its hash names.",
			Remedy:  "Download it again; if it stays so, the server's store was changed.",
		}
	}
	return nil
}

// DownloadFile fetches the bytes of an uploaded file; a stream that breaks goes on behind what came.
func (c *Client) DownloadFile(ctx context.Context, fileID string, to io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var came int64
	for failures := 0; ; failures++ {
		before := came
		err := c.downloadFrom(ctx, fileID, &came, to)
		if came > before {
			failures = 0
		}
		if err == nil || !retryable(err) || failures >= len(c.options.RetryDelays) ||
			pause(ctx, c.options.RetryDelays[failures]) != nil {
			return err
		}
	}
}

func (c *Client) downloadFrom(ctx context.Context, fileID string, came *int64, to io.Writer) error {
	stream, err := c.Files.DownloadFile(ctx, &gatewayv1.DownloadFileRequest{FileId: fileID, FirstByte: *came})
	if err != nil {
		return err
	}
	for {
		piece, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		written, err := to.Write(piece.GetChunk().GetData())
		*came += int64(written)
		if err != nil {
			return fmt.Errorf("assay: cannot keep what is downloaded: %w", err)
		}
	}
}
