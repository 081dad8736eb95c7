import type { IncomingMessage } from "node:http";
import { type Answer, jsonAnswer, textAnswer } from "../../shared/http/answer.ts";
import { MALFORMED, otherThan } from "../../shared/identity-faults.ts";
import { isAlive } from "../../shared/machine-record.ts";
import { privateAddressOf } from "../../shared/private-address.ts";
import { DOCUMENT_LIFE_MS } from "../document-signer.ts";
import { END_CAUSES } from "../lifecycle.ts";
import { type AzureMachine, machineTokenOf } from "../machine.ts";
import { resourceIdOf } from "../views/vm-view.ts";
import type { World } from "../world.ts";

/** The oldest document versions that have every field returned here. */
const INSTANCE_VERSION = "2021-02-01";
const ATTESTED_VERSION = "2020-09-01";
const EVENTS_VERSION = "2020-07-01";

/**
 * Serves the instance metadata service of one machine, below `/imds/<secret>`. In addition to Azure's paths it has `power-off`,
 * which connects the guest's `shutdown` to its hardware. Returns null if the machine does not exist (any more).
 */
export function answerMetadata(world: World, request: IncomingMessage, path: string): Answer | null | Promise<Answer> {
	const [, secret = "", rest = ""] = /^\/imds\/([0-9a-f]+)\/+(.*)$/.exec(path) ?? [];
	const machine = world.book.machineBySecret(secret);
	if (!machine || machine.vanished || !isAlive(machine.state)) return null;
	if (rest === "power-off") return request.method === "POST" ? powerOff(world, machine) : textAnswer(405, "Method Not Allowed");
	if (world.faults.silencesMetadata(factsOf(machine))) return problem(503, "Service unavailable");
	// As the real service does, so that a careless proxy in the guest cannot leak metadata.
	if (request.headers["x-forwarded-for"] !== undefined) return problem(400, "Bad request. X-Forwarded-For is not allowed");
	if (request.headers["metadata"] !== "true") return problem(400, "Bad request. Required metadata header not specified");
	if (request.method !== "GET") return problem(405, "Method not allowed");
	const { searchParams: query } = new URL(request.url ?? "/", "http://guest");
	const version = query.get("api-version");
	switch (rest) {
		case "metadata/instance":
			return versioned(version, INSTANCE_VERSION, () => ({ compute: computeDocument(world, machine), network: networkDocument(machine) }));
		case "metadata/instance/compute":
			return versioned(version, INSTANCE_VERSION, () => computeDocument(world, machine));
		case "metadata/instance/compute/resourceId":
			return textAnswer(200, resourceIdOf(world, machine));
		case "metadata/attested/document":
			return attestedDocument(world, machine, query);
		case "metadata/identity/oauth2/token":
			return identityToken(machine, query);
		case "metadata/scheduledevents":
			return versioned(version, EVENTS_VERSION, () => scheduledEvents(machine));
		default:
			return problem(404, "Not found");
	}
}

function factsOf({ region, zone, vmSize: instanceType, spot }: AzureMachine) {
	return { region, ...(zone === null ? {} : { zone }), instanceType, spot };
}

/** A shutdown from inside stops the machine but does not deallocate it. */
function powerOff(world: World, machine: AzureMachine): Answer {
	world.lifecycle.end(machine, END_CAUSES.guest, "stopped");
	return textAnswer(200, "power off\n");
}

function versioned(given: string | null, known: string, document: () => unknown): Answer {
	if (given === known) return jsonAnswer(200, document());
	const error =
		given === null ? "Bad request. api-version was not specified in the request" : `Bad request. api-version is invalid: ${given}`;
	return jsonAnswer(400, { error, "newest-versions": [known] });
}

function computeDocument(world: World, machine: AzureMachine): unknown {
	const { name, region, resourceGroup, tags, instanceId, vmSize, zone, spot } = machine;
	return {
		azEnvironment: "AzurePublicCloud",
		evictionPolicy: spot ? "Delete" : "",
		location: region,
		name,
		osType: "Linux",
		priority: spot ? "Spot" : "",
		resourceGroupName: resourceGroup,
		resourceId: resourceIdOf(world, machine),
		subscriptionId: world.options.subscriptionId,
		tagsList: Object.entries(tags).map(([tag, value]) => ({ name: tag, value })),
		vmId: instanceId,
		vmSize,
		zone: zone ?? "",
	};
}

function networkDocument({ instanceId }: AzureMachine): unknown {
	return { interface: [{ ipv4: { ipAddress: [{ privateIpAddress: privateAddressOf(instanceId), publicIpAddress: "" }] } }] };
}

/** Azure accepts ten digits as a nonce. */
async function attestedDocument(world: World, machine: AzureMachine, query: URLSearchParams): Promise<Answer> {
	const nonce = query.get("nonce");
	if (query.get("api-version") !== ATTESTED_VERSION) return versioned(query.get("api-version"), ATTESTED_VERSION, () => null);
	if (nonce !== null && !/^\d{1,10}$/.test(nonce)) return problem(400, "Bad request. Nonce must be at most 10 digits");
	const as = world.faults.identityOf(factsOf(machine));
	if (as === "absent") return problem(404, "Not found");
	if (as === "malformed") return jsonAnswer(200, { encoding: "pkcs7", signature: MALFORMED });
	const { subscriptionId, clock } = world.options;
	const vmId = as === "other_machine" ? otherThan(machine.instanceId) : machine.instanceId;
	const signedAtMs = clock() - (as === "expired" ? 2 * DOCUMENT_LIFE_MS : 0);
	const signature = await world.signer.sign({ nonce, vmId, subscriptionId, sku: machine.vmSize, signedAtMs });
	return jsonAnswer(200, { encoding: "pkcs7", signature });
}

/** Azure formats `NotBefore` as an HTTP date. */
function scheduledEvents({ name, notice, instanceId }: AzureMachine): unknown {
	if (!notice) return { DocumentIncarnation: 1, Events: [] };
	const event = {
		EventId: `${instanceId}-preempt`,
		EventType: "Preempt",
		ResourceType: "VirtualMachine",
		Resources: [name],
		EventStatus: "Scheduled",
		NotBefore: new Date(notice.terminateAtMs).toUTCString(),
		Description: "",
		EventSource: "Platform",
		DurationInSeconds: -1,
	};
	return { DocumentIncarnation: 2, Events: [event] };
}

/** Grants what the machine's identity may do, which here is to delete machines of its group. */
function identityToken(machine: AzureMachine, query: URLSearchParams): Answer {
	const resource = query.get("resource") ?? "";
	if (machine.request["identity"] === undefined)
		return jsonAnswer(400, { error: "invalid_request", error_description: "Identity not found" });
	return jsonAnswer(200, { access_token: machineTokenOf(machine), expires_in: "86399", resource, token_type: "Bearer" });
}

function problem(status: number, error: string): Answer {
	return jsonAnswer(status, { error });
}
