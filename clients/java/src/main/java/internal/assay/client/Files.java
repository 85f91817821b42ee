package internal.assay.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import internal.assay.common.v1.Artifact;
import internal.assay.common.v1.FileChunk;
import internal.assay.gateway.v1.ArtifactServiceGrpc;
import internal.assay.gateway.v1.DownloadArtifactRequest;
import internal.assay.gateway.v1.DownloadArtifactResponse;
import internal.assay.gateway.v1.DownloadFileRequest;
import internal.assay.gateway.v1.DownloadFileResponse;
import internal.assay.gateway.v1.File;
import internal.assay.gateway.v1.FileServiceGrpc;
import internal.assay.gateway.v1.UploadFileHead;
import internal.assay.gateway.v1.UploadFileRequest;
import internal.assay.gateway.v1.UploadFileResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Files to a server and back. */
final class Files {
  private static final int PIECE_BYTES = 512 * 1024;

  private final Channel channel;
  private final Patience patience;

  Files(Channel channel, Patience patience) {
    this.channel = channel;
    this.patience = patience;
  }

  File upload(String sessionId, Path path) throws IOException {
    try {
      return patience.repeated(() -> {
        try (InputStream content = java.nio.file.Files.newInputStream(path)) {
          return upload(sessionId, path.getFileName().toString(), content, java.nio.file.Files.size(path));
        } catch (IOException error) {
          throw new UncheckedIOException(error);
        }
      });
    } catch (AssayException error) {
      if (error.getCause() instanceof UncheckedIOException local) {
        throw local.getCause();
      }
      throw error;
    }
  }

  File upload(String sessionId, String name, InputStream content, long size) throws IOException {
    UploadFileHead.Builder head = UploadFileHead.newBuilder().setSessionId(sessionId).setName(name);
    if (size >= 0) {
      head.setSizeBytes(size);
    }
    BlockingClientCall<UploadFileRequest, UploadFileResponse> call = ClientCalls.blockingClientStreamingCall(
        channel, FileServiceGrpc.getUploadFileMethod(), CallOptions.DEFAULT);
    boolean answered = false;
    try {
      boolean heard = call.write(UploadFileRequest.newBuilder().setHead(head).build());
      byte[] piece = content.readNBytes(PIECE_BYTES);
      while (heard && piece.length > 0) {
        ByteString data = UnsafeByteOperations.unsafeWrap(piece);
        FileChunk chunk = FileChunk.newBuilder().setData(data).build();
        heard = call.write(UploadFileRequest.newBuilder().setChunk(chunk).build());
        piece = content.readNBytes(PIECE_BYTES);
      }
      if (heard) {
        call.halfClose();
      }
      UploadFileResponse stored = call.read();
      answered = true;
      return stored.getFile();
    } catch (StatusException error) {
      throw AssayException.of(error);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw AssayException.of(Status.CANCELLED.withCause(interrupted).asRuntimeException());
    } finally {
      if (!answered) {
        call.cancel("the upload was given up", null);
      }
    }
  }

  void downloadFile(String fileId, OutputStream to) throws IOException {
    var stub = FileServiceGrpc.newBlockingStub(channel);
    long[] came = {0};
    try (var pieces = new Resuming<DownloadFileResponse>(patience, () -> stub.downloadFile(
        DownloadFileRequest.newBuilder().setFileId(fileId).setFirstByte(came[0]).build()), piece -> true)) {
      while (pieces.hasNext()) {
        ByteString data = pieces.next().getChunk().getData();
        data.writeTo(to);
        came[0] += data.size();
      }
    }
  }

  void download(Artifact artifact, OutputStream to) throws IOException {
    var stub = ArtifactServiceGrpc.newBlockingStub(channel);
    var request = DownloadArtifactRequest.newBuilder()
        .setJobId(artifact.getJobId()).setArtifactId(artifact.getArtifactId()).build();
    MessageDigest digest = sha256();
    // Bytes that were written cannot be taken back: a broken stream is not begun again.
    try (var pieces = new Resuming<DownloadArtifactResponse>(Patience.NONE, () -> stub.downloadArtifact(request), one -> true)) {
      while (pieces.hasNext()) {
        ByteString data = pieces.next().getChunk().getData();
        digest.update(data.asReadOnlyByteBuffer());
        data.writeTo(to);
      }
    }
    if (!HexFormat.of().formatHex(digest.digest()).equals(artifact.getContentHash())) {
      throw new AssayException(AssayException.VERIFICATION_FAILED, Status.Code.DATA_LOSS,
          artifact.getContentRef() + " arrived with other bytes than its hash names.",
          "Download it again; if it stays so, the server's store was changed.", null);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error); // every Java has it
    }
  }
}
