import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { type Answer, textAnswer } from "../../shared/http/answer.ts";
import { MALFORMED, otherThan } from "../../shared/identity-faults.ts";
import { isAlive } from "../../shared/machine-record.ts";
import { privateAddressOf } from "../../shared/private-address.ts";
import type { InstanceRecord } from "../book/records.ts";
import { END_CAUSES } from "../end-causes.ts";
import { TOKEN_LIFE_S } from "../identity-signer.ts";
import type { World } from "../world.ts";

/** The emulated project's number, which is part of some metadata. */
const PROJECT_NUMBER = "123456789012";
const FLAVOR = { "metadata-flavor": "Google" };
const IDENTITY_PATH = "instance/service-accounts/default/identity";
const accountsSchema = z.array(z.looseObject({ email: z.string() }));
const NOT_FOUND = textAnswer(404, "Not Found\n", FLAVOR);

/**
 * Serves the metadata server of one machine, below `/imds/<secret>/computeMetadata/v1`. In addition to Google's paths it has
 * `power-off`, which connects the guest's `shutdown` to its hardware. Returns null if the machine does not exist (any more).
 */
export function answerMetadata(world: World, request: IncomingMessage, path: string): Answer | null {
	const [, secret = "", rest = ""] = /^\/imds\/([0-9a-f]+)(?:\/+(.*))?$/.exec(path) ?? [];
	const machine = world.machines.machineBySecret(secret);
	if (!machine || machine.vanished || !isAlive(machine.state)) return null;
	if (rest === "power-off") {
		if (request.method !== "POST") return textAnswer(405, "Method Not Allowed\n");
		world.lifecycle.end(machine, END_CAUSES.guest, "stopped");
		return textAnswer(200, "power off\n");
	}
	if (world.faults.silencesMetadata(factsOf(world, machine))) return textAnswer(503, "Service Unavailable\n", FLAVOR);
	// As the real server does, so that a careless proxy in the guest cannot leak metadata.
	const isAsked = request.headers["metadata-flavor"] === "Google" && request.headers["x-forwarded-for"] === undefined;
	if (!isAsked) return textAnswer(403, "Missing Metadata-Flavor:Google header.\n", FLAVOR);
	if (request.method !== "GET") return textAnswer(405, "Method Not Allowed\n", FLAVOR);
	const [, wanted] = /^computeMetadata\/v1\/(.*)$/.exec(rest) ?? [];
	if (wanted === IDENTITY_PATH) return identityToken(world, machine, new URL(request.url ?? "/", "http://guest").searchParams);
	return wanted === undefined ? NOT_FOUND : lookUp(documentsOf(world, machine), wanted);
}

function factsOf(world: World, { zone, machineType: instanceType, spot }: InstanceRecord) {
	return { region: world.catalog.regionOf(zone) ?? "", zone, instanceType, spot };
}

/** Signed only for machines that have a service account, as at Google. */
function identityToken(world: World, machine: InstanceRecord, query: URLSearchParams): Answer {
	const [account] = accountsSchema.parse(machine.resource["serviceAccounts"] ?? []);
	if (account === undefined) return NOT_FOUND;
	const audience = query.get("audience");
	if (!audience) return textAnswer(400, "non-empty audience parameter required\n", FLAVOR);
	const as = world.faults.identityOf(factsOf(world, machine));
	if (as === "absent") return NOT_FOUND;
	if (as === "malformed") return textAnswer(200, [MALFORMED, MALFORMED, MALFORMED].join("."), FLAVOR);
	const signedAtMs = world.options.clock() - (as === "expired" ? 2 * TOKEN_LIFE_S * 1_000 : 0);
	const { zone, name, launchedAtMs } = machine;
	const instanceId = as === "other_machine" ? otherThan(machine.instanceId) : machine.instanceId;
	const who = { sub: "100000000000000000000", azp: "100000000000000000000", email: account.email, email_verified: true };
	const place = { project_id: world.options.project, project_number: Number(PROJECT_NUMBER), zone };
	const compute_engine = {
		...place,
		instance_id: instanceId,
		instance_name: name,
		instance_creation_timestamp: Math.floor(launchedAtMs / 1_000),
	};
	const claims = query.get("format") === "full" ? { ...who, google: { compute_engine } } : who;
	return textAnswer(200, world.signer.token(audience, signedAtMs, claims), FLAVOR);
}

function documentsOf(world: World, machine: InstanceRecord): Record<string, string> {
	const { zone, name, instanceId, machineType, notice, spot, attributes } = machine;
	return {
		"instance/hostname": `${name}.${zone}.c.${world.options.project}.internal`,
		"instance/id": instanceId,
		"instance/machine-type": `projects/${PROJECT_NUMBER}/machineTypes/${machineType}`,
		"instance/maintenance-event": "NONE",
		"instance/name": name,
		"instance/network-interfaces/0/ip": privateAddressOf(instanceId),
		"instance/preempted": notice ? "TRUE" : "FALSE",
		"instance/scheduling/preemptible": spot ? "TRUE" : "FALSE",
		"instance/zone": `projects/${PROJECT_NUMBER}/zones/${zone}`,
		"project/numeric-project-id": PROJECT_NUMBER,
		"project/project-id": world.options.project,
		...Object.fromEntries(Object.entries(attributes).map(([key, value]) => [`instance/attributes/${key}`, value])),
	};
}

/** A document, or the names below a folder, one per line, folders with a trailing slash. */
function lookUp(documents: Record<string, string>, wanted: string): Answer {
	const document = documents[wanted];
	if (document !== undefined) return textAnswer(200, document, FLAVOR);
	const below = Object.keys(documents).filter((path) => path.startsWith(wanted) && (wanted === "" || wanted.endsWith("/")));
	if (below.length === 0) return NOT_FOUND;
	const names = below.map((path) => path.slice(wanted.length).replace(/\/.*/, "/"));
	return textAnswer(200, `${[...new Set(names)].join("\n")}\n`, FLAVOR);
}
