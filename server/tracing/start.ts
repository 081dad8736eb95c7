import { ROOT_CONTEXT, SpanKind, type TextMapGetter, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { ParentBasedSampler, RandomIdGenerator, SamplingDecision, TraceIdRatioBasedSampler } from "@opentelemetry/sdk-trace";
import type { StartTrace } from "#server/domain/trace.ts";

type Headers = Parameters<StartTrace>[0];

const HEADERS: TextMapGetter<Headers> = {
	keys: (headers) => Object.keys(headers),
	get: (headers, name) => {
		const value = headers[name];
		return typeof value === "string" ? value : undefined;
	},
};

/**
 * Continues a caller's W3C trace with the caller's sampling decision, or starts one for a share of the submissions.
 * @param ratio share of submissions without a caller's trace, 0 to 1
 */
export function makeTraceStarter(ratio: number): StartTrace {
	const propagator = new W3CTraceContextPropagator();
	const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
	const ids = new RandomIdGenerator();
	return (headers, nowMs) => {
		const context = propagator.extract(ROOT_CONTEXT, headers, HEADERS);
		const parent = trace.getSpanContext(context);
		const traceId = parent?.traceId ?? ids.generateTraceId();
		const { decision } = sampler.shouldSample(context, traceId, "submit", SpanKind.SERVER, {}, []);
		if (decision !== SamplingDecision.RECORD_AND_SAMPLED) return null;
		return {
			traceId,
			parentSpanId: parent?.spanId ?? null,
			traceState: parent?.traceState?.serialize() || null,
			receivedAtMs: nowMs,
		};
	};
}
