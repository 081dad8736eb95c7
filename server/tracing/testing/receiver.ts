import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import protobuf from "protobufjs";

export interface ReceivedSpan {
	traceId: string;
	spanId: string;
	parentSpanId: string;
	traceState: string;
	name: string;
	kind: string;
	startMs: number;
	endMs: number;
	attributes: Record<string, unknown>;
	status: { code?: string; message?: string };
	resource: Record<string, unknown>;
}

/** An OTLP/HTTP receiver on loopback that decodes with OpenTelemetry's own definitions (opentelemetry-proto, Apache-2.0). */
export async function openReceiver() {
	const root = new protobuf.Root();
	root.resolvePath = (_, target) => path.join(import.meta.dirname, target);
	await root.load("opentelemetry/proto/collector/trace/v1/trace_service.proto");
	const Request = root.lookupType("opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest");
	const Answer = root.lookupType("opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse");
	const received: ReceivedSpan[] = [];
	const problems: string[] = [];
	const receiver = { url: "", received, problems, status: 200, close: async () => {} };
	const server = createServer((req, res) => {
		const parts: Buffer[] = [];
		req.on("data", (part: Buffer) => parts.push(part));
		req.on("end", () => {
			if (req.method !== "POST" || req.headers["content-type"] !== "application/x-protobuf") problems.push(`${req.method} ${req.url}`);
			if (receiver.status === 200) received.push(...spansOf(Request, Buffer.concat(parts)));
			res.writeHead(receiver.status, { "content-type": "application/x-protobuf" });
			res.end(Answer.encode({}).finish());
		});
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
	receiver.close = async () => {
		server.closeAllConnections();
		server.close();
		await once(server, "close");
	};
	return receiver;
}

interface Value {
	stringValue?: string;
	intValue?: string;
	doubleValue?: number;
	boolValue?: boolean;
}
type Attributes = { key: string; value: Value }[];
interface DecodedSpan {
	[name: string]: unknown;
	traceId: string;
	spanId: string;
	parentSpanId?: string;
	attributes?: Attributes;
	startTimeUnixNano: string;
	endTimeUnixNano: string;
}

function spansOf(type: protobuf.Type, body: Buffer): ReceivedSpan[] {
	const message = type.decode(body);
	const problem = type.verify(message);
	if (problem) throw new Error(problem);
	const { resourceSpans = [] } = type.toObject(message, { longs: String, enums: String, bytes: String }) as {
		resourceSpans?: { resource: { attributes: Attributes }; scopeSpans: { spans: DecodedSpan[] }[] }[];
	};
	return resourceSpans.flatMap(({ resource, scopeSpans }) =>
		scopeSpans.flatMap(({ spans }) => spans.map((span) => receivedSpan(span, plain(resource.attributes)))),
	);
}

function receivedSpan(span: DecodedSpan, resource: Record<string, unknown>): ReceivedSpan {
	const hex = (base64 = ""): string => Buffer.from(base64, "base64").toString("hex");
	return {
		...(span as unknown as Pick<ReceivedSpan, "name" | "kind">),
		traceId: hex(span.traceId),
		spanId: hex(span.spanId),
		parentSpanId: hex(span.parentSpanId),
		traceState: String(span["traceState"] ?? ""),
		startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
		endMs: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
		attributes: plain(span.attributes ?? []),
		status: (span["status"] ?? {}) as ReceivedSpan["status"],
		resource,
	};
}

function plain(attributes: Attributes): Record<string, unknown> {
	return Object.fromEntries(
		attributes.map(({ key, value }) => [
			key,
			value.stringValue ?? value.doubleValue ?? value.boolValue ?? (value.intValue === undefined ? undefined : Number(value.intValue)),
		]),
	);
}
