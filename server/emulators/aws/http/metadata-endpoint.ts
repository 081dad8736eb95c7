import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Answer, textAnswer } from "../../shared/http/answer.ts";
import { MALFORMED, otherThan } from "../../shared/identity-faults.ts";
import { isAlive } from "../../shared/machine-record.ts";
import { privateAddressOf } from "../../shared/private-address.ts";
import type { InstanceRecord, Machine } from "../book/records.ts";
import { END_CAUSES } from "../end-causes.ts";
import { OWNER_ID, type World } from "../world.ts";

const TOKEN_HEADER = "x-aws-ec2-metadata-token";
const TTL_HEADER = "x-aws-ec2-metadata-token-ttl-seconds";
const MAX_TTL_S = 21_600;
const DOCUMENT_PATH = "latest/dynamic/instance-identity/document";
const SIGNED_PATH = "latest/dynamic/instance-identity/rsa2048";
const NOT_FOUND = textAnswer(404, "404 - Not Found\n");
const UNAUTHORIZED = textAnswer(401, "401 - Unauthorized\n");

/**
 * Serves the instance metadata service (IMDSv2 only) of one machine, below `/imds/<secret>`. In addition to Amazon's paths it has
 * `power-off`, which connects the guest's `shutdown` to its hardware. Returns null if the machine does not exist (any more).
 */
export function answerMetadata(world: World, request: IncomingMessage, path: string): Answer | null | Promise<Answer> {
	const [, secret = "", rest = ""] = /^\/imds\/([0-9a-f]+)(?:\/+(.*))?$/.exec(path) ?? [];
	const machine = world.store.machineBySecret(secret);
	if (!machine || machine.instance.vanished || !isAlive(machine.instance.state)) return null;
	const wanted = rest.replace(/\/+/g, "/");
	if (wanted === "power-off") return request.method === "POST" ? powerOff(world, machine) : textAnswer(405, "405 - Method Not Allowed\n");
	if (world.faults.silencesMetadata(factsOf(machine))) return textAnswer(503, "503 - Service Unavailable\n");
	// As the real service does, so that a careless proxy in the guest cannot leak metadata.
	if (request.headers["x-forwarded-for"] !== undefined) return textAnswer(403, "403 - Forbidden\n");
	if (wanted === "latest/api/token") return issueToken(world, machine.instance, request);
	if (request.method !== "GET") return textAnswer(405, "405 - Method Not Allowed\n");
	if (!tokenHolds(world, machine.instance, request.headers[TOKEN_HEADER])) return UNAUTHORIZED;
	return wanted === SIGNED_PATH ? signedDocument(world, machine) : lookUp(documentsOf(machine), wanted);
}

function factsOf({ reservation: { region, instanceType }, instance: { zone, spot } }: Machine) {
	return { region, zone, instanceType, spot: spot !== null };
}

/** The machine's signed identity document, or what the fault script returns instead. */
async function signedDocument(world: World, machine: Machine): Promise<Answer> {
	const as = world.faults.identityOf(factsOf(machine));
	if (as === "absent") return NOT_FOUND;
	if (as === "malformed") return textAnswer(200, MALFORMED);
	const document = documentsOf(machine)[DOCUMENT_PATH] ?? "";
	const { instanceId } = machine.instance;
	return textAnswer(
		200,
		await world.signer.sign(as === "other_machine" ? document.replaceAll(instanceId, otherThan(instanceId)) : document),
	);
}

function powerOff(world: World, machine: Machine): Answer {
	// A guest that shuts down because it is being stopped changes nothing.
	if (machine.instance.state === "stopping") return textAnswer(200, "power off\n");
	const target = machine.reservation.shutdownBehaviour === "terminate" ? "terminated" : "stopped";
	world.lifecycle.end(machine.instance, END_CAUSES.guest, target);
	return textAnswer(200, "power off\n");
}

function issueToken(world: World, instance: InstanceRecord, request: IncomingMessage): Answer {
	if (request.method !== "PUT") return textAnswer(405, "405 - Method Not Allowed\n");
	const ttl = Number(request.headers[TTL_HEADER]);
	if (!Number.isInteger(ttl) || ttl < 1 || ttl > MAX_TTL_S) return textAnswer(400, "400 - Bad Request\n");
	const expiresAtMs = world.options.clock() + ttl * 1_000;
	return textAnswer(200, `${expiresAtMs}.${sign(instance, expiresAtMs)}`, { [TTL_HEADER]: String(ttl) });
}

/** The token is signed instead of stored, so that it survives a restart of the emulator, as its machine does. */
function tokenHolds(world: World, instance: InstanceRecord, token: string | string[] | undefined): boolean {
	const [, expires = "", signature = ""] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(typeof token === "string" ? token : "") ?? [];
	if (expires === "" || Number(expires) <= world.options.clock()) return false;
	return timingSafeEqual(Buffer.from(signature), Buffer.from(sign(instance, Number(expires))));
}

function sign(instance: InstanceRecord, expiresAtMs: number): string {
	return createHmac("sha256", instance.metadataSecret).update(`token/${expiresAtMs}`).digest("hex");
}

/** EC2 formats these times without fractions of a second. */
function isoSeconds(ms: number): string {
	return new Date(ms).toISOString().replace(/\.\d{3}Z$/, "Z");
}

function documentsOf({ reservation, instance }: Machine): Record<string, string> {
	const { region, instanceType, imageId } = reservation;
	const address = privateAddressOf(instance.instanceId);
	const { notice } = instance;
	const identity = {
		accountId: OWNER_ID,
		architecture: "x86_64",
		availabilityZone: instance.zone,
		imageId,
		instanceId: instance.instanceId,
		instanceType,
		pendingTime: isoSeconds(instance.launchedAtMs),
		privateIp: address,
		region,
		version: "2017-09-30",
	};
	return {
		[DOCUMENT_PATH]: JSON.stringify(identity, null, 2),
		"latest/meta-data/ami-id": imageId,
		"latest/meta-data/ami-launch-index": String(instance.amiLaunchIndex),
		"latest/meta-data/instance-id": instance.instanceId,
		"latest/meta-data/instance-life-cycle": instance.spot ? "spot" : "on-demand",
		"latest/meta-data/instance-type": instanceType,
		"latest/meta-data/local-ipv4": address,
		"latest/meta-data/placement/availability-zone": instance.zone,
		"latest/meta-data/placement/region": region,
		"latest/meta-data/reservation-id": reservation.reservationId,
		...(reservation.userData === "" ? {} : { "latest/user-data": Buffer.from(reservation.userData, "base64").toString("utf8") }),
		...(notice
			? {
					"latest/meta-data/events/recommendations/rebalance": JSON.stringify({ noticeTime: isoSeconds(notice.atMs) }),
					"latest/meta-data/spot/instance-action": JSON.stringify({ action: "terminate", time: isoSeconds(notice.terminateAtMs) }),
					"latest/meta-data/spot/termination-time": isoSeconds(notice.terminateAtMs),
				}
			: {}),
	};
}

/** A document, or the names below a folder, one per line, folders with a trailing slash. */
function lookUp(documents: Record<string, string>, wanted: string): Answer {
	const document = documents[wanted];
	if (document !== undefined) return textAnswer(200, document);
	const folder = wanted.endsWith("/") ? wanted : `${wanted}/`;
	const below = Object.keys(documents).filter((path) => path.startsWith(folder));
	if (below.length === 0) return NOT_FOUND;
	const names = below.map((path) => path.slice(folder.length).replace(/\/.*/, "/"));
	return textAnswer(200, [...new Set(names)].join("\n"));
}
