import { type HrTime, type SpanContext, SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { ExportResultCode, millisToHrTime, TraceState } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { ExportedSpan } from "#server/domain/trace.ts";

const TIMEOUT_MS = 10_000;

/** Sends spans as OTLP over HTTP, protobuf. Headers, certificates and compression come from the standard OTEL_EXPORTER_OTLP_… variables. */
export function openOtlp(options: { url: string; serviceName: string; version: string; instance: string }): {
	send(spans: readonly ExportedSpan[]): Promise<void>;
	close(): Promise<void>;
} {
	const exporter = new OTLPTraceExporter({ url: options.url, timeoutMillis: TIMEOUT_MS });
	const resource = resourceFromAttributes({
		"service.name": options.serviceName,
		"service.version": options.version,
		"service.instance.id": options.instance,
	});
	const send = (spans: readonly ExportedSpan[]): Promise<void> =>
		new Promise((resolve, reject) => {
			const readable = spans.map((span) => readableSpan(span, resource, options.version));
			exporter.export(readable, ({ code, error }) => {
				if (code === ExportResultCode.SUCCESS) resolve();
				else reject(error ?? new Error(`the trace receiver ${options.url} did not accept the spans`));
			});
		});
	return { send, close: () => exporter.shutdown() };
}

function readableSpan(span: ExportedSpan, resource: Resource, version: string): ReadableSpan {
	const traceState = span.traceState === null ? undefined : new TraceState(span.traceState);
	const contextOf = (spanId: string): SpanContext => ({
		...{ traceId: span.traceId, spanId, traceFlags: TraceFlags.SAMPLED },
		...(traceState && { traceState }),
	});
	const start: HrTime = millisToHrTime(span.startMs);
	const parent = span.parentSpanId;
	return {
		name: span.name,
		kind: span.name === "submit" ? SpanKind.SERVER : SpanKind.INTERNAL,
		spanContext: () => contextOf(span.spanId),
		...(parent !== null && { parentSpanContext: { ...contextOf(parent), isRemote: span.name === "submit" } }),
		startTime: start,
		endTime: millisToHrTime(span.endMs),
		duration: millisToHrTime(span.endMs - span.startMs),
		ended: true,
		status: span.failure === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: span.failure },
		attributes: { ...span.attributes },
		links: [],
		events: [],
		resource,
		instrumentationScope: { name: "spillway", version },
		droppedAttributesCount: 0,
		droppedEventsCount: 0,
		droppedLinksCount: 0,
	};
}
