import { readFileSync } from "node:fs";
import { z } from "zod";
import { type Env, tracesUrl } from "#server/env.ts";

/** The trace receiver in the settings; null if tracing is off, in which case its packages are not loaded. */
export async function traceReceiver(settings: Env) {
	const url = tracesUrl(settings);
	if (url === null) return null;
	const { openOtlp } = await import("#server/tracing/otlp.ts");
	const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
	const { version } = z.object({ version: z.string() }).parse(manifest);
	return openOtlp({ url, serviceName: settings.OTEL_SERVICE_NAME, version, instance: settings.SPILLWAY_INSTANCE });
}
