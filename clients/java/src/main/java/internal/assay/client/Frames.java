package internal.assay.client;

import com.google.protobuf.ByteString;
import internal.assay.common.v1.FrameRef;
import internal.assay.gateway.v1.ArtifactServiceGrpc.ArtifactServiceBlockingStub;
import internal.assay.gateway.v1.ReadFrameRequest;
import internal.assay.gateway.v1.ReadFrameResponse;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Iterator;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;

/** Tables out of the Arrow IPC streams that ReadFrame sends in pieces. */
final class Frames {
  private final ArtifactServiceBlockingStub artifacts;
  private final Patience patience;

  Frames(ArtifactServiceBlockingStub artifacts, Patience patience) {
    this.artifacts = artifacts;
    this.patience = patience;
  }

  void ofJob(String jobId, FrameRef frame, BufferAllocator memory, Consumer<VectorSchemaRoot> batch) {
    var request = ReadFrameRequest.newBuilder().setJobId(jobId).setDigest(frame.getDigest());
    read(request, frame.getRows(), memory, batch);
  }

  void ofFile(String fileId, BufferAllocator memory, Consumer<VectorSchemaRoot> batch) {
    read(ReadFrameRequest.newBuilder().setFileId(fileId), -1, memory, batch);
  }

  private void read(
      ReadFrameRequest.Builder request, long wanted, BufferAllocator memory, Consumer<VectorSchemaRoot> batch) {
    long[] rows = {0};
    Consumer<VectorSchemaRoot> counting = root -> {
      batch.accept(root);
      rows[0] += root.getRowCount();
    };
    for (int failures = 0; ; failures++) {
      long before = rows[0];
      try {
        readFrom(request.setFirstRow(before).build(), memory, counting);
        break;
      } catch (StatusRuntimeException broken) {
        failures = rows[0] > before ? 0 : failures;
        patience.await(AssayException.of(broken), failures);
      }
    }
    if (wanted >= 0 && rows[0] != wanted) {
      throw new AssayException(AssayException.VERIFICATION_FAILED, Status.Code.DATA_LOSS,
          "frame " + request.getDigest() + " arrived with " + rows[0] + " rows instead of " + wanted + ".",
          "", null);
    }
  }

  private void readFrom(ReadFrameRequest request, BufferAllocator memory, Consumer<VectorSchemaRoot> batch) {
    Context.CancellableContext context = Context.current().withCancellation();
    Context before = context.attach();
    try (var reader = new ArrowStreamReader(new Pieces(artifacts.readFrame(request)), memory)) {
      VectorSchemaRoot root = reader.getVectorSchemaRoot();
      boolean shown = request.getFirstRow() > 0;
      while (reader.loadNextBatch()) {
        if (root.getRowCount() > 0) {
          batch.accept(root);
          shown = true;
        }
      }
      if (!shown) {
        batch.accept(root);
      }
    } catch (IOException | IllegalArgumentException error) {
      throw new AssayException(AssayException.NOT_READABLE, Status.Code.DATA_LOSS,
          "the frame is no Arrow stream: " + error.getMessage() + ".", "Read it again.", error);
    } finally {
      context.detach(before);
      context.cancel(null);
    }
  }

  /** The pieces of a stream as one; a broken transfer is thrown as it is. */
  private static final class Pieces extends InputStream {
    private final Iterator<ReadFrameResponse> pieces;
    private ByteString piece = ByteString.EMPTY;
    private int place;

    Pieces(Iterator<ReadFrameResponse> pieces) {
      this.pieces = pieces;
    }

    @Override
    public int read() {
      return here() ? piece.byteAt(place++) & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) {
      if (length == 0) {
        return 0;
      }
      if (!here()) {
        return -1;
      }
      int count = Math.min(length, piece.size() - place);
      piece.copyTo(into, place, offset, count);
      place += count;
      return count;
    }

    private boolean here() {
      while (place == piece.size() && pieces.hasNext()) {
        piece = pieces.next().getChunk().getData();
        place = 0;
      }
      return place < piece.size();
    }
  }
}
