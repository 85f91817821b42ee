package internal.assay.conformance;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import internal.assay.common.v1.Job;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/** Jobs and tables as the script writes them. */
final class Shapes {
  private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss");

  private Shapes() {}

  /** What the script looks at of a job. */
  static JsonElement ofJob(Job job) {
    JsonObject told = new JsonObject();
    JsonArray claims = new JsonArray();
    job.getAnswer().getClaimsList().forEach(claim -> claims.add(claim.getValue()));
    JsonArray options = new JsonArray();
    job.getClarification().getOptionsList().forEach(option -> {
      JsonObject one = new JsonObject();
      one.addProperty("id", option.getOptionId());
      one.addProperty("text", option.getText());
      options.add(one);
    });
    told.addProperty("job", job.getJobId());
    told.addProperty("state", job.getState().name().replace("JOB_STATE_", ""));
    told.addProperty("answer", job.getAnswer().getText());
    told.add("claims", claims);
    told.addProperty("rows", job.getAnswer().getTable().getRows());
    told.add("options", options);
    told.addProperty("reason", job.getFailure().getReason());
    told.addProperty("understood", job.getUnderstood());
    return told;
  }

  /** A table, batch by batch. */
  static final class Frame {
    private JsonArray columns = new JsonArray();
    private final JsonArray rows = new JsonArray();

    void take(VectorSchemaRoot batch) {
      columns = new JsonArray();
      batch.getSchema().getFields().forEach(field -> columns.add(field.getName() + " " + typeName(field)));
      for (int row = 0; row < batch.getRowCount(); row++) {
        JsonArray cells = new JsonArray();
        for (FieldVector vector : batch.getFieldVectors()) {
          cells.add(cell(vector.getObject(row), vector.getField().getType()));
        }
        rows.add(cells);
      }
    }

    JsonElement told(boolean brief) {
      JsonObject told = new JsonObject();
      told.add("columns", columns);
      if (brief) {
        told.addProperty("count", rows.size());
      } else {
        told.add("rows", rows);
      }
      return told;
    }
  }

  private static String typeName(Field field) {
    ArrowType type = field.getType();
    if (type instanceof ArrowType.Decimal decimal) {
      return "decimal(" + decimal.getPrecision() + "," + decimal.getScale() + ")";
    }
    return switch (type.getTypeID()) {
      case Int -> "integer";
      case FloatingPoint -> "float";
      case Utf8, LargeUtf8, Utf8View -> "text";
      case Bool -> "boolean";
      case Date -> "date";
      case Timestamp -> "timestamp";
      default -> type.toString();
    };
  }

  private static JsonElement cell(Object value, ArrowType type) {
    if (value == null) {
      return JsonNull.INSTANCE;
    }
    if (value instanceof BigDecimal decimal) {
      return new JsonPrimitive(decimal.toPlainString());
    }
    if (type instanceof ArrowType.Date) {
      return new JsonPrimitive(LocalDate.ofEpochDay(((Number) value).longValue()).toString());
    }
    if (value instanceof Number number) {
      return new JsonPrimitive(number);
    }
    if (value instanceof Boolean yes) {
      return new JsonPrimitive(yes);
    }
    if (value instanceof LocalDateTime moment) {
      return new JsonPrimitive(MOMENT.format(moment));
    }
    return new JsonPrimitive(value.toString());
  }
}
