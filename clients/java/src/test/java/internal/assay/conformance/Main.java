package internal.assay.conformance;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import internal.assay.client.AssayClient;
import internal.assay.client.AssayException;
import io.grpc.Context;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Performs the script of clients/conformance with this client: one line of JSON for each step, with what it gave.
 * Whether that is right is judged by whoever started it. Arguments: the script and the settings.
 */
public final class Main {
  private static final Gson JSON = new GsonBuilder().serializeNulls().create();
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  private final JsonObject settings;
  private final Map<String, AssayClient> clients = new HashMap<>();
  private final BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private JsonObject saved = new JsonObject();

  private Main(JsonObject settings) {
    this.settings = settings;
  }

  public static void main(String[] arguments) throws IOException {
    JsonObject script = read(arguments[0]);
    Main runner = new Main(read(arguments[1]));
    for (JsonElement one : script.getAsJsonArray("cases")) {
      runner.saved = new JsonObject();
      JsonArray steps = one.getAsJsonObject().getAsJsonArray("steps");
      for (int number = 0; number < steps.size(); number++) {
        JsonObject line = new JsonObject();
        line.add("case", one.getAsJsonObject().get("name"));
        line.addProperty("step", number);
        line.add("result", runner.perform(steps.get(number).getAsJsonObject()));
        OUT.println(JSON.toJson(line));
      }
    }
    runner.clients.values().forEach(AssayClient::close);
    System.exit(0);
  }

  private static JsonObject read(String path) throws IOException {
    return JsonParser.parseString(Files.readString(Path.of(path))).getAsJsonObject();
  }

  /** Makes one step; a refusal is a result like another. */
  private JsonElement perform(JsonObject step) {
    JsonElement result;
    try {
      JsonObject given = step.has("with") ? filled(step.get("with")).getAsJsonObject() : new JsonObject();
      String call = step.get("call").getAsString();
      result = call.equals("outside") ? outside(given) : called(step, call, given);
    } catch (AssayException refused) {
      result = refusal(refused);
    } catch (Exception broken) {
      JsonObject told = new JsonObject();
      told.addProperty("broken", broken.toString());
      result = told;
    }
    if (step.has("save")) {
      saved.add(step.get("save").getAsString(), result);
    }
    return result;
  }

  private JsonElement called(JsonObject step, String call, JsonObject given) throws Exception {
    AssayClient client = client(text(step, "as", "analyst"), text(step, "via", "direct"));
    Verbs verbs = new Verbs(client, Path.of(settings.get("fixtures").getAsString()));
    if (!step.has("deadline")) {
      return verbs.call(call, given);
    }
    long milliseconds = (long) (step.get("deadline").getAsDouble() * 1000);
    var bounded = Context.current().withDeadlineAfter(milliseconds, TimeUnit.MILLISECONDS, clock);
    try {
      return bounded.call(() -> verbs.call(call, given));
    } finally {
      bounded.cancel(null);
    }
  }

  private static JsonElement refusal(AssayException refused) {
    JsonObject told = new JsonObject();
    told.addProperty("reason", refused.reason());
    told.addProperty("status", refused.code().name());
    told.addProperty("retryable", refused.retryable());
    told.addProperty("message", refused.plainMessage());
    told.addProperty("remedy", refused.remedy());
    told.add("fields", JSON.toJsonTree(refused.fields()));
    JsonObject result = new JsonObject();
    result.add("error", told);
    return result;
  }

  /** Has whoever started this do something to the mesh, and waits until it says what came of it. */
  private JsonElement outside(JsonObject given) throws IOException {
    JsonObject line = new JsonObject();
    line.add("outside", given);
    OUT.println(JSON.toJson(line));
    return JsonParser.parseString(input.readLine());
  }

  /** The client of a caller and a way; it is kept, as programs do. */
  private AssayClient client(String caller, String way) throws IOException {
    String name = caller + "/" + way;
    if (!clients.containsKey(name)) {
      clients.put(name, AssayClient.to(settings.getAsJsonObject("targets").get(way).getAsString())
          .token(settings.getAsJsonObject("tokens").get(caller).getAsString())
          .authority(Path.of(settings.get("authority").getAsString()))
          .open());
    }
    return clients.get(name);
  }

  /** What earlier steps gave in place of "$name.path". */
  private JsonElement filled(JsonElement value) {
    if (value.isJsonObject()) {
      JsonObject made = new JsonObject();
      value.getAsJsonObject().entrySet().forEach(one -> made.add(one.getKey(), filled(one.getValue())));
      return made;
    }
    if (value.isJsonArray()) {
      JsonArray made = new JsonArray();
      value.getAsJsonArray().forEach(one -> made.add(filled(one)));
      return made;
    }
    boolean named = value instanceof JsonPrimitive one && one.isString() && one.getAsString().startsWith("$");
    return named ? found(value.getAsString()) : value;
  }

  private JsonElement found(String name) {
    JsonElement here = saved;
    for (String part : name.substring(1).split("\\.")) {
      if (here instanceof JsonArray list) {
        here = list.get(Integer.parseInt(part));
      } else {
        here = here instanceof JsonObject holder ? holder.get(part) : null;
      }
      if (here == null) {
        throw new IllegalArgumentException("no step gave " + name);
      }
    }
    return here;
  }

  static String text(JsonObject given, String name, String otherwise) {
    return given.has(name) ? given.get(name).getAsString() : otherwise;
  }
}
