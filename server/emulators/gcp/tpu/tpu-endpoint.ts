import type { IncomingMessage } from "node:http";
import { type Answer, jsonAnswer, readBody } from "../../shared/http/answer.ts";
import { GceError } from "../gce-error.ts";
import { accountOf } from "../wire/token.ts";
import type { World } from "../world.ts";
import { type QueuedResourceBody, queuedResourceBody } from "./queued-resource-body.ts";
import { bootHosts, endSlice, nodeView, queuedResourceView, settleSlices } from "./slices.ts";
import { TpuError } from "./tpu-error.ts";

const MAX_BODY_BYTES = 1024 * 1024;
const ID = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** Runtime versions of hosts. Source: "TPU software versions". */
const RUNTIMES = /^v2-alpha-tpuv5-lite$|^v2-alpha-tpuv5$|^v2-alpha-tpuv6e$|^tpu-ubuntu2204-base$/;
/** The fault script's code for a request that stays in the queue. */
const STOCKOUT = "STOCKOUT";

interface TpuCall {
	world: World;
	zone: string;
	name: string;
	query: URLSearchParams;
	body: string;
}

/** By HTTP method and collection, with or without a name. */
const ACTIONS: Readonly<Record<string, { name: string; run(call: TpuCall): unknown }>> = {
	"GET acceleratorTypes": { name: "Tpu.ListAcceleratorTypes", run: listAcceleratorTypes },
	"GET queuedResources": { name: "Tpu.ListQueuedResources", run: listQueuedResources },
	"GET queuedResources/*": {
		name: "Tpu.GetQueuedResource",
		run: ({ world, zone, name }) => queuedResourceView(world, find(world, zone, name)),
	},
	"POST queuedResources": { name: "Tpu.CreateQueuedResource", run: createQueuedResource },
	"DELETE queuedResources/*": { name: "Tpu.DeleteQueuedResource", run: deleteQueuedResource },
	"GET nodes/*": { name: "Tpu.GetNode", run: getNode },
};

/** Handles one call of the TPU API v2. Undefined: not its path. */
export async function answerTpu(world: World, request: IncomingMessage, path: string, nowMs: number | null): Promise<Answer | undefined> {
	const [, project, zone = "", collection = "", name = ""] =
		/^\/v2\/projects\/([^/]+)\/locations\/([^/]+)\/(\w+)(?:\/([^/]+))?$/.exec(path) ?? [];
	if (project === undefined) return undefined;
	try {
		const body = await readBody(request, MAX_BODY_BYTES);
		if (body === null) throw new TpuError("INVALID_ARGUMENT", `The request is longer than ${MAX_BODY_BYTES} bytes.`);
		accountOf(request.headers.authorization, world.options.accounts, nowMs ?? Date.now());
		const action = ACTIONS[`${request.method} ${collection}${name === "" ? "" : "/*"}`];
		if (!action || project !== world.options.project)
			throw new TpuError("NOT_FOUND", `The emulated TPU API has no ${request.method} ${path}.`);
		const region = world.catalog.regionOf(zone);
		if (region === undefined) throw new TpuError("NOT_FOUND", `Location ${zone} is not found.`);
		world.faults.take("entrance", { action: action.name, region, zone });
		settleSlices(world, zone);
		const query = new URL(request.url ?? "/", world.url()).searchParams;
		return jsonAnswer(200, action.run({ world, zone, name, query, body }));
	} catch (error) {
		const { status, message, httpStatus } = refusalOf(error);
		return jsonAnswer(httpStatus, { error: { code: httpStatus, message, status } });
	}
}

/** The fault script's errors are named by their status. */
function refusalOf(error: unknown): TpuError {
	if (error instanceof TpuError) return error;
	if (!(error instanceof GceError)) return new TpuError("INTERNAL", `The emulator failed: ${String(error)}`);
	const isToken = error.reason === "authError" || error.reason === "required";
	return new TpuError(isToken ? "UNAUTHENTICATED" : error.reason, error.message);
}

function find(world: World, zone: string, name: string) {
	const found = world.slices.find(zone, name);
	if (found) return found;
	throw new TpuError("NOT_FOUND", `Resource 'projects/${world.options.project}/locations/${zone}/queuedResources/${name}' was not found`);
}

function listAcceleratorTypes({ world, zone }: TpuCall): unknown {
	const prefix = `projects/${world.options.project}/locations/${zone}/acceleratorTypes`;
	return { acceleratorTypes: (world.options.tpuTypes[zone] ?? []).map((type) => ({ name: `${prefix}/${type}`, type })) };
}

function listQueuedResources({ world, zone }: TpuCall): unknown {
	return { queuedResources: world.slices.in(zone).map((slice) => queuedResourceView(world, slice)) };
}

function getNode({ world, zone, name }: TpuCall): unknown {
	const slice = world.slices.in(zone).find(({ body }) => body.tpu.nodeSpec[0]?.nodeId === name);
	const view = slice && nodeView(world, slice);
	if (view) return view;
	throw new TpuError("NOT_FOUND", `Resource 'projects/${world.options.project}/locations/${zone}/nodes/${name}' was not found`);
}

function createQueuedResource({ world, zone, query, body: text }: TpuCall): unknown {
	const name = query.get("queuedResourceId") ?? "";
	if (!ID.test(name)) throw new TpuError("INVALID_ARGUMENT", `Invalid queuedResourceId '${name}'. It must match ${ID.source}.`);
	const body = readQueuedResource(world, zone, text);
	if (world.slices.find(zone, name)) throw new TpuError("ALREADY_EXISTS", `Resource '${name}' already exists`);
	if (world.closing) throw new TpuError("UNAVAILABLE", "The emulated TPU API is stopping; nothing new is launched.");
	const madeAtMs = world.options.clock();
	const made = { region: zone, name, madeAtMs, body, isDeleting: false };
	if (hasCapacity(world, zone)) world.slices.add({ ...made, hosts: bootHosts(world, zone, body), waitsUntilMs: null });
	else {
		const seconds = Number.parseInt(body.queueingPolicy?.validUntilDuration ?? "86400s", 10);
		world.slices.add({ ...made, hosts: [], waitsUntilMs: madeAtMs + seconds * 1_000 });
	}
	return operationOf(world, zone, name);
}

function hasCapacity(world: World, zone: string): boolean {
	try {
		world.faults.take("entrance", { action: "Tpu.Provision", region: world.catalog.regionOf(zone) ?? "", zone });
		return true;
	} catch (error) {
		if (error instanceof GceError && error.reason === STOCKOUT) return false;
		throw error;
	}
}

/** @throws TpuError for a request that Google would reject */
function readQueuedResource(world: World, zone: string, text: string): QueuedResourceBody {
	const parsed = queuedResourceBody.safeParse(readJson(text));
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		throw new TpuError("INVALID_ARGUMENT", `Invalid JSON payload received at '${issue?.path.join(".")}': ${issue?.message}`);
	}
	const body = parsed.data;
	const [spec] = body.tpu.nodeSpec;
	const parent = `projects/${world.options.project}/locations/${zone}`;
	if (spec?.parent !== parent) throw new TpuError("INVALID_ARGUMENT", `The node's parent must be ${parent}.`);
	const { acceleratorType, runtimeVersion } = spec.node;
	if (!world.options.tpuTypes[zone]?.includes(acceleratorType))
		throw new TpuError("INVALID_ARGUMENT", `Accelerator type ${acceleratorType} is not available in zone ${zone}.`);
	if (!RUNTIMES.test(runtimeVersion)) throw new TpuError("INVALID_ARGUMENT", `Runtime version ${runtimeVersion} is unknown.`);
	if (body.spot && body.guaranteed) throw new TpuError("INVALID_ARGUMENT", "oneof field 'tier' is already set. Cannot set 'guaranteed'");
	if (body.reservationName && !body.guaranteed) throw new TpuError("INVALID_ARGUMENT", "A reservation needs the guaranteed tier.");
	return body;
}

function deleteQueuedResource({ world, zone, name, query }: TpuCall): unknown {
	const slice = find(world, zone, name);
	const hasNode = slice.hosts.length > 0;
	if (hasNode && query.get("force") !== "true")
		throw new TpuError("FAILED_PRECONDITION", `Queued resource ${name} has nodes. Delete them first, or use force.`);
	endSlice(world, slice);
	return operationOf(world, zone, name);
}

function operationOf({ options }: World, zone: string, name: string): unknown {
	return { name: `projects/${options.project}/locations/${zone}/operations/operation-${name}`, done: false };
}

function readJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw new TpuError("INVALID_ARGUMENT", "Invalid JSON payload received.");
	}
}
