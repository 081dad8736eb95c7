import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { z } from "zod";
import {
	AGENT_LIMITS,
	AGENT_PATH,
	AGENT_REQUESTS,
	artifactIdSchema,
	checkpointIdSchema,
	OFFSET_HEADER,
	relativePath,
	SHA256_HEADER,
} from "#server/agent/protocol.ts";
import { isOvertaken } from "#server/kernel/database-failures.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { beginArtifact, commitArtifact, storeArtifactPart } from "#server/services/work/agent/artifact.ts";
import { type AgentIdentity, authenticateAgent } from "#server/services/work/agent/authenticate.ts";
import { awaitJob } from "#server/services/work/agent/await-job.ts";
import {
	agentCheckpointFile,
	commitAgentCheckpoint,
	newAgentCheckpoint,
	storeCheckpointFile,
} from "#server/services/work/agent/checkpoint.ts";
import { checkpointFor } from "#server/services/work/agent/checkpoint-manifest.ts";
import type { AgentContext } from "#server/services/work/agent/context.ts";
import { enrollAgent } from "#server/services/work/agent/enroll.ts";
import { agentHeartbeat } from "#server/services/work/agent/heartbeat.ts";
import { inputArtifactFile, inputArtifactFiles } from "#server/services/work/agent/input-artifact.ts";
import { recordPrepared } from "#server/services/work/agent/prepared.ts";
import { reportExited, reportRunning, storeAgentLogs } from "#server/services/work/agent/report.ts";
import { reportStaged } from "#server/services/work/agent/staged.ts";
import { commitShards, markBroken } from "#server/services/work/agent/store-checkpoint.ts";
import { DOORS } from "../edge/limits.ts";
import { scanJson } from "../edge/scan-json.ts";
import { MethodNotAllowedError } from "../method-not-allowed.ts";
import { isLogged, problemOf } from "../problem.ts";
import { problemHeaders } from "../problem-headers.ts";
import { fileResponse } from "./served-file.ts";

export interface AgentHandlerOptions extends AgentContext {
	/** The bundled agent, dist/agent.mjs. */
	agentFile: string;
	/** Programs named `node` by platform, e.g. linux-x64; for images without one. */
	runtimeFiles?: Readonly<Record<string, string>>;
	limits?: { bodyBytes?: number; checkpointFileBytes?: number };
	log?(message: string, error: unknown): void;
}

interface Call {
	options: AgentHandlerOptions;
	request: Request;
	/** Decoded parts of the path behind /agent/v1. */
	parts: readonly string[];
}

type Route = (call: Call) => Promise<Response>;

/**
 * Handler for machines, below /agent/v1: a function from a request to a response. File bodies are streamed in both
 * directions, so the server must pass requests and responses unbuffered.
 */
export function createAgentHandler(options: AgentHandlerOptions): (request: Request) => Promise<Response> {
	return async (request) => {
		try {
			const parts = partsOf(request);
			return await routeOf(request.method, parts)({ options, request, parts });
		} catch (error) {
			const problem = problemOf(isOvertaken(error) ? retryLater(error) : error, randomUUID());
			if (isLogged(error)) options.log?.(`an agent's call failed (${problem.requestId})`, error);
			return Response.json(problem, { status: problem.status, headers: problemHeaders(problem, error) });
		}
	};
}

/** Agents retry calls that got 5xx; a 4xx is final. */
function retryLater(cause: unknown): SpillwayError {
	return new SpillwayError("unavailable", "Another request changed the same data at this moment.", { fix: "Try again.", cause });
}

/** Decoded parts of the path behind /agent/v1. */
function partsOf(request: Request): string[] {
	const { pathname } = new URL(request.url);
	try {
		return pathname
			.slice(AGENT_PATH.length + 1)
			.split("/")
			.map(decodeURIComponent);
	} catch {
		throw new SpillwayError("invalid_input", "The path is not valid percent-encoding.", { fix: "Encode each part of it." });
	}
}

/** By method and path; `*` is one part, `**` one or more. The first match wins. */
const ROUTES: readonly (readonly [method: string, path: string, route: Route])[] = [
	["GET", "agent.mjs", ({ options }) => fileResponse(options.agentFile, "text/javascript")],
	["GET", "runtime/*", (call) => serveRuntime(call)],
	[
		"POST",
		"enroll",
		async ({ options, request }) => json(await enrollAgent(options, await readBody(request, options, AGENT_REQUESTS.enroll))),
	],
	[
		"POST",
		"waiting",
		async ({ options, request }) => json(await awaitJob(options, await readBody(request, options, AGENT_REQUESTS.waiting))),
	],
	[
		"POST",
		"prepared",
		async ({ options, request }) => {
			await recordPrepared(options, await readBody(request, options, AGENT_REQUESTS.prepared));
			return json({});
		},
	],
	["POST", "heartbeat", withAgent(AGENT_REQUESTS.heartbeat, agentHeartbeat)],
	["POST", "logs", withAgent(AGENT_REQUESTS.logs, storeAgentLogs)],
	["POST", "staged", withAgent(AGENT_REQUESTS.staged, reportStaged)],
	["POST", "running", withAgent(AGENT_REQUESTS.running, reportRunning)],
	["POST", "exited", withAgent(AGENT_REQUESTS.exited, reportExited)],
	["POST", "checkpoints", withAgent(AGENT_REQUESTS.checkpoints, newAgentCheckpoint)],
	["POST", "checkpoints/*/commit", (call) => commitRoute(call)],
	["POST", "checkpoints/*/shards", (call) => commitShardsRoute(call)],
	["POST", "checkpoints/*/broken", (call) => brokenRoute(call)],
	["PUT", "checkpoints/*/**", (call) => putCheckpointFile(call)],
	["GET", "checkpoints/*/**", (call) => getCheckpointFile(call)],
	["POST", "artifacts", withAgent(AGENT_REQUESTS.artifacts, beginArtifact)],
	["POST", "artifacts/*/commit", (call) => commitArtifactRoute(call)],
	["GET", "artifacts/*", (call) => listInputArtifact(call)],
	["PUT", "artifacts/*/**", (call) => putArtifactPart(call)],
	["GET", "artifacts/*/**", (call) => getInputArtifactFile(call)],
];

/** @throws SpillwayError `not_found`; MethodNotAllowedError */
function routeOf(method: string, parts: readonly string[]): Route {
	const there = ROUTES.filter(([, path]) => isAt(path.split("/"), parts));
	const route = there.find(([verb]) => verb === method)?.[2];
	if (route) return route;
	const where = `${AGENT_PATH}/${parts.join("/")}`.slice(0, 200);
	const fix = "Run the agent that this control plane serves.";
	if (there.length === 0) throw new SpillwayError("not_found", `There is nothing at ${where}.`, { fix });
	throw new MethodNotAllowedError(method, where, [...new Set(there.map(([verb]) => verb))].join(", "), fix);
}

function isAt(pattern: readonly string[], parts: readonly string[]): boolean {
	const hasRest = pattern.at(-1) === "**";
	if (hasRest ? parts.length < pattern.length : parts.length !== pattern.length) return false;
	return pattern.every((part, i) => part.startsWith("*") || part === parts[i]);
}

/** Authenticates, parses, calls. */
function withAgent<T>(schema: z.ZodType<T>, work: (ctx: AgentContext, agent: AgentIdentity, input: T) => Promise<unknown>): Route {
	return async ({ options, request }) => {
		const agent = await authenticateAgent(options, request.headers.get("authorization"));
		return json((await work(options, agent, await readBody(request, options, schema))) ?? {});
	};
}

const serveRuntime: Route = async ({ options, parts }) => {
	const files = options.runtimeFiles ?? {};
	const platform = parts[1] ?? "";
	const file = Object.hasOwn(files, platform) ? files[platform] : undefined;
	if (file === undefined)
		throw new SpillwayError("not_found", `There is no runtime for ${JSON.stringify(parts[1])} here.`, {
			fix: "Use an image that has Node 20 or newer.",
		});
	return fileResponse(file, "application/octet-stream");
};

async function checkpointCall({ options, request, parts }: Call): Promise<{ agent: AgentIdentity; id: string; path: string }> {
	const agent = await authenticateAgent(options, request.headers.get("authorization"));
	return { agent, ...z.object({ id: checkpointIdSchema, path: relativePath }).parse({ id: parts[1], path: filePathOf(parts.slice(2)) }) };
}

/** An encoded slash inside a part would produce a path that was never requested. */
function filePathOf(parts: readonly string[]): string {
	if (parts.some((p) => p.includes("/")))
		throw new SpillwayError("invalid_input", "A part of the path holds a slash.", {
			fields: [{ path: "path", message: "must not hold an encoded slash" }],
		});
	return parts.join("/");
}

const putCheckpointFile: Route = async (call) => {
	const { options, request } = call;
	const { agent, id, path } = await checkpointCall(call);
	const sha256 = z
		.string({ error: `the header ${SHA256_HEADER} is missing` })
		.regex(/^[0-9a-f]{64}$/, `the header ${SHA256_HEADER} must be 64 hex digits`)
		.parse(request.headers.get(SHA256_HEADER));
	const bytesMax = options.limits?.checkpointFileBytes ?? AGENT_LIMITS.checkpointFileBytes;
	await storeCheckpointFile(options, agent, { id, path, sha256, body: bodyOf(request), bytesMax });
	return json({});
};

const getCheckpointFile: Route = async (call) => {
	const { agent, id, path } = await checkpointCall(call);
	return fileResponse(await agentCheckpointFile(call.options, agent, { id, path }), "application/octet-stream");
};

const commitRoute: Route = async ({ options, request, parts }) => {
	const agent = await authenticateAgent(options, request.headers.get("authorization"));
	const id = checkpointIdSchema.parse(parts[1]);
	const { files } = await readBody(request, options, AGENT_REQUESTS.commit);
	await commitAgentCheckpoint(options, agent, { id, files });
	return json({});
};

const commitShardsRoute: Route = async ({ options, request, parts }) => {
	const agent = await authenticateAgent(options, request.headers.get("authorization"));
	const id = checkpointIdSchema.parse(parts[1]);
	const { shards } = await readBody(request, options, AGENT_REQUESTS.shards);
	if (!options.stores) throw new SpillwayError("not_found", "This server has no stores.", { fix: "Start the web server with stores." });
	return json(await commitShards({ ...options, stores: options.stores }, agent, { id, shards }));
};

const brokenRoute: Route = async ({ options, request, parts }) => {
	const agent = await authenticateAgent(options, request.headers.get("authorization"));
	const id = checkpointIdSchema.parse(parts[1]);
	const { problem } = await readBody(request, options, AGENT_REQUESTS.broken);
	await markBroken(options, agent, { id, problem });
	return json({ next: await checkpointFor(options, agent) });
};

const listInputArtifact: Route = async ({ options, request, parts }) => {
	const agent = await authenticateAgent(options, request.headers.get("authorization"));
	return json(await inputArtifactFiles(options, agent, artifactIdSchema.parse(parts[1])));
};

const getInputArtifactFile: Route = async ({ options, request, parts }) => {
	const agent = await authenticateAgent(options, request.headers.get("authorization"));
	const input = z.object({ id: artifactIdSchema, path: relativePath }).parse({ id: parts[1], path: filePathOf(parts.slice(2)) });
	return fileResponse(await inputArtifactFile(options, agent, input), "application/octet-stream");
};

const putArtifactPart: Route = async ({ options, request, parts }) => {
	const agent = await authenticateAgent(options, request.headers.get("authorization"));
	const { id, path, offset } = z
		.object({
			id: artifactIdSchema,
			path: relativePath,
			offset: z.coerce
				.number({ error: `the header ${OFFSET_HEADER} must be a number of bytes` })
				.int()
				.min(0),
		})
		.parse({ id: parts[1], path: filePathOf(parts.slice(2)), offset: request.headers.get(OFFSET_HEADER) ?? undefined });
	return json(await storeArtifactPart(options, agent, { id, path, offset, body: bodyOf(request) }));
};

const commitArtifactRoute: Route = async ({ options, request, parts }) => {
	const agent = await authenticateAgent(options, request.headers.get("authorization"));
	const id = artifactIdSchema.parse(parts[1]);
	await readBody(request, options, z.strictObject({}));
	await commitArtifact(options, agent, id);
	return json({});
};

/** Maximum number of bytes of a too large body to read and discard before the connection is closed. */
const DRAINED_BYTES_MAX = 64 * 1024 ** 2;

/** @throws SpillwayError `payload_too_large`; `invalid_input` for a body that is not JSON; ZodError */
async function readBody<T>(request: Request, options: AgentHandlerOptions, schema: z.ZodType<T>): Promise<T> {
	const bytesMax = options.limits?.bodyBytes ?? AGENT_LIMITS.bodyBytes;
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of bodyOf(request)) {
		bytes += chunk.length;
		if (bytes > DRAINED_BYTES_MAX) break;
		// Keep reading and discard: a client that is cut off while sending would not see the response.
		if (bytes <= bytesMax) chunks.push(Buffer.from(chunk));
	}
	if (bytes > bytesMax)
		throw new SpillwayError("payload_too_large", `The body is larger than ${bytesMax} bytes.`, { fix: "Send it in parts." });
	const text = Buffer.concat(chunks);
	scanJson(text, DOORS.rest.json);
	let parsed: unknown;
	try {
		parsed = JSON.parse(text.toString("utf8"));
	} catch {
		throw new SpillwayError("invalid_input", "The body is not JSON.", { fix: "Send application/json." });
	}
	return schema.parse(parsed);
}

function bodyOf(request: Request): Readable {
	if (request.body === null) return Readable.from([]);
	// The DOM's stream type and Node's are the same object at run time.
	const body = Readable.fromWeb(request.body as Parameters<typeof Readable.fromWeb>[0]);
	// A machine that disconnects before its body is read must not end the server; readers still get the error.
	return body.on("error", () => {});
}

function json(value: unknown): Response {
	return Response.json(value, { headers: { "cache-control": "no-store" } });
}
