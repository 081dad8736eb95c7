import type { protos } from "@google-cloud/compute";
import { z } from "zod";
import { DriverError } from "../driver-errors.ts";
import { repeatAfterReset } from "../repeat-after-reset.ts";
import type { ComputeClients } from "./compute-clients.ts";
import { noCredentials, toDriverError } from "./errors.ts";
import { firewallSchema, type GceFirewall } from "./gang-network.ts";
import { type GceInstance, gceInstanceSchema } from "./mapper.ts";
import { type GceOperation, operationSchema } from "./operations.ts";
import type { ParsedGcpSettings } from "./settings.ts";

type InstanceResource = protos.google.cloud.compute.v1.IInstance;
/** Rows of one page, the request for the next one or null, and the whole response. */
type Page = [rows: unknown, next: { pageToken?: string | null } | null, ...rest: unknown[]];

/** More pages than any project has. An endpoint that returns tokens forever is an error, not a loop. */
const PAGES_MAX = 2_000;
/** Newest first: the only order besides name order that Google's lists support. */
const NEWEST_FIRST = "creationTimestamp desc";

const policySchema = z.object({ name: z.string().min(1), status: z.string().nullish() });
const zoneSchema = z.object({ name: z.string().min(1), region: z.string().min(1), status: z.string().min(1) });
export type GceZone = z.output<typeof zoneSchema>;

const subnetworkSchema = z.object({ network: z.string().min(1), ipCidrRange: z.string().min(1) });

const machineTypeSchema = z.object({ name: z.string().min(1), guestCpus: z.number().int(), memoryMb: z.number().int() });
export type GceMachineType = z.output<typeof machineTypeSchema>;

const regionSchema = z.object({
	quotas: z
		.array(z.object({ metric: z.string(), limit: z.number(), usage: z.number() }))
		.nullish()
		.transform((quotas) => quotas ?? []),
});

/** The driver's Google calls. Every response is validated. */
export class ComputeCalls {
	readonly #settings: ParsedGcpSettings;
	readonly #open: () => Promise<ComputeClients>;
	#clients: Promise<ComputeClients> | null = null;

	constructor(settings: ParsedGcpSettings, open: () => Promise<ComputeClients>) {
		this.#settings = settings;
		this.#open = open;
	}

	zones(): Promise<GceZone[]> {
		return this.#pages("zones of the project", zoneSchema, (sdk, page) => sdk.zones.list({ ...page }, this.#options()));
	}

	/** GPU quotas of a region by Google's names; null if the account may not look. */
	async gpuQuotas(region: string): Promise<{ metric: string; limit: number; usage: number }[] | null> {
		const what = `quotas in ${region}`;
		try {
			const [found] = await this.#read(what, (sdk) => sdk.regions.get({ ...this.#project(), region }, this.#options()));
			return parse(what, regionSchema, found).quotas.filter(({ metric }) => metric.includes("GPUS"));
		} catch (error) {
			if (error instanceof DriverError && (error.kind === "unauthorized" || error.kind === "not_found")) return null;
			throw error;
		}
	}

	/** Whether the image that a reference names exists; null if the account may not look. */
	imageExists(image: string): Promise<boolean | null> {
		const [, project = "", family, name = ""] = /^projects\/([^/]+)\/global\/images\/(family\/)?(.+)$/.exec(image) ?? [];
		return this.#exists(`image ${image}`, (sdk) =>
			family === undefined
				? sdk.images.get({ project, image: name }, this.#options())
				: sdk.images.getFromFamily({ project, family: name }, this.#options()),
		);
	}

	/** The same for a subnetwork, `[projects/<project>/]regions/<region>/subnetworks/<name>`. */
	subnetworkExists(reference: string): Promise<boolean | null> {
		const [, other, region = "", subnetwork = ""] = /^(?:projects\/([^/]+)\/)?regions\/([^/]+)\/subnetworks\/(.+)$/.exec(reference) ?? [];
		const project = other ?? this.#settings.project;
		return this.#exists(`subnetwork ${reference}`, (sdk) => sdk.subnetworks.get({ project, region, subnetwork }, this.#options()));
	}

	/** The address ranges of a region's subnetwork, and its network; without a reference, those of the network `default`. */
	async subnetwork(region: string, reference?: string): Promise<{ network: string; ipCidrRange: string }> {
		const [, other, , name] = /^(?:projects\/([^/]+)\/)?regions\/([^/]+)\/subnetworks\/(.+)$/.exec(reference ?? "") ?? [];
		const what = `subnetwork ${reference ?? "default"} in ${region}`;
		const asked = { project: other ?? this.#settings.project, region, subnetwork: name ?? "default" };
		const [found] = await this.#read(what, (sdk) => sdk.subnetworks.get(asked, this.#options()));
		return parse(what, subnetworkSchema, found);
	}

	/** All firewall rules of a network, in the project that it belongs to. */
	firewalls(network: string): Promise<GceFirewall[]> {
		const project = /\/projects\/([^/]+)\//.exec(network)?.[1] ?? this.#settings.project;
		const filter = `network="${network}"`;
		return this.#pages(`firewall rules of ${network}`, firewallSchema, (sdk, page) =>
			sdk.firewalls.list({ ...page, project, filter }, this.#options()),
		);
	}

	async #exists(what: string, ask: (sdk: ComputeClients) => Promise<unknown>): Promise<boolean | null> {
		try {
			await this.#read(what, ask);
			return true;
		} catch (error) {
			if (!(error instanceof DriverError) || (error.kind !== "not_found" && error.kind !== "unauthorized")) throw error;
			return error.kind === "not_found" ? false : null;
		}
	}

	/** The named types that the zone has. */
	machineTypes(zone: string, names: readonly string[]): Promise<GceMachineType[]> {
		const filter = names.map((name) => `(name="${name}")`).join(" OR ");
		const what = `machine types in ${zone}`;
		return this.#pages(what, machineTypeSchema, (sdk, page) => sdk.machineTypes.list({ ...page, zone, filter }, this.#options()));
	}

	instances(zone: string, filter: string): Promise<GceInstance[]> {
		const what = `instances in ${zone}`;
		return this.#pages(what, gceInstanceSchema, (sdk, page) => sdk.instances.list({ ...page, zone, filter }, this.#options()));
	}

	/** null if there is none with this name. */
	async instance(zone: string, name: string): Promise<GceInstance | null> {
		const what = `instance ${name} in ${zone}`;
		try {
			const [found] = await this.#read(what, (sdk) => sdk.instances.get({ ...this.#project(), zone, instance: name }, this.#options()));
			return parse(what, gceInstanceSchema, found);
		} catch (error) {
			if (error instanceof DriverError && error.kind === "not_found") return null;
			throw error;
		}
	}

	/** Sends the request. Its operation reports whether there is capacity. */
	async insert(zone: string, resource: InstanceResource, requestId: string): Promise<GceOperation> {
		const what = `launch of ${resource.name} in ${zone}`;
		const request = { ...this.#project(), zone, requestId, instanceResource: resource };
		const [answer] = await this.#call(what, (sdk) => sdk.instances.insert(request, this.#options()));
		return operationIn(what, answer);
	}

	/** Deletes by Google's number, which a later machine with the same name does not share. */
	async deleteInstance(zone: string, id: string): Promise<void> {
		const request = { ...this.#project(), zone, instance: id };
		await this.#call(`termination of ${id} in ${zone}`, (sdk) => sdk.instances.delete(request, this.#options()));
	}

	/** Its disks are kept, except Local SSD disks. */
	async stopInstance(zone: string, id: string): Promise<void> {
		const request = { ...this.#project(), zone, instance: id, discardLocalSsd: true };
		await this.#call(`stop of ${id} in ${zone}`, (sdk) => sdk.instances.stop(request, this.#options()));
	}

	/** Sends the request. Its operation reports whether there is capacity. */
	async startInstance(zone: string, id: string): Promise<GceOperation> {
		const what = `start of ${id} in ${zone}`;
		const [answer] = await this.#call(what, (sdk) => sdk.instances.start({ ...this.#project(), zone, instance: id }, this.#options()));
		return operationIn(what, answer);
	}

	/** Creates a compact placement policy, unless it exists. */
	async createPlacementPolicy(region: string, name: string): Promise<void> {
		const resourcePolicyResource = { name, groupPlacementPolicy: { collocation: "COLLOCATED" } };
		const request = { ...this.#project(), region, resourcePolicyResource };
		const what = `placement policy ${name} in ${region}`;
		await this.#call(what, (sdk) => sdk.resourcePolicies.insert(request, this.#options())).catch(unlessCode("alreadyExists"));
	}

	/** Whether launches can use the policy. */
	async isPolicyReady(region: string, name: string): Promise<boolean> {
		const what = `placement policy ${name} in ${region}`;
		const request = { ...this.#project(), region, resourcePolicy: name };
		try {
			const [found] = await this.#read(what, (sdk) => sdk.resourcePolicies.get(request, this.#options()));
			return parse(what, policySchema, found).status === "READY";
		} catch (error) {
			if (error instanceof DriverError && error.kind === "not_found") return false;
			throw error;
		}
	}

	/** Names of a region's policies. */
	async placementPolicies(region: string): Promise<string[]> {
		const what = `placement policies in ${region}`;
		const found = await this.#pages(what, policySchema, (sdk, page) => sdk.resourcePolicies.list({ ...page, region }, this.#options()));
		return found.map(({ name }) => name);
	}

	/** Does nothing while machines use the policy, or if it does not exist. */
	async deletePlacementPolicy(region: string, name: string): Promise<void> {
		const request = { ...this.#project(), region, resourcePolicy: name };
		const what = `deletion of placement policy ${name} in ${region}`;
		const call = this.#call(what, (sdk) => sdk.resourcePolicies.delete(request, this.#options()));
		await call.catch(unlessCode("resourceInUseByAnotherResource", "notFound"));
	}

	async operation(zone: string, name: string): Promise<GceOperation> {
		const what = `operation ${name} in ${zone}`;
		const [found] = await this.#read(what, (sdk) => sdk.operations.get({ ...this.#project(), zone, operation: name }, this.#options()));
		return parse(what, operationSchema, found);
	}

	/** Operations on machines with this text in their URL, newest first, back to `sinceMs`. */
	operations(zone: string, options: { targetText: string; type?: string; sinceMs: number }): Promise<GceOperation[]> {
		const filter = `${options.type === undefined ? "" : `operationType="${options.type}" AND `}targetLink:instances/${options.targetText}`;
		return this.#pages(
			`operations in ${zone}`,
			operationSchema,
			(sdk, page) => sdk.operations.list({ ...page, zone, filter, orderBy: NEWEST_FIRST }, this.#options()),
			(op) => Date.parse(op.insertTime) < options.sinceMs,
		);
	}

	/** Headers that authenticate a call of another Google API. */
	headersFor(url: URL, what: string): Promise<Headers> {
		return this.#call(what, (sdk) => sdk.headersFor(url));
	}

	async close(): Promise<void> {
		const clients = await this.#clients?.catch(() => null);
		await clients?.close();
	}

	#project(): { project: string } {
		return { project: this.#settings.project };
	}

	/** The control loop repeats the call with the same token; further retries here would only hide problems. */
	#options() {
		return { timeout: this.#settings.answerTimeoutMs, retry: { retryCodes: [] }, autoPaginate: false };
	}

	#read<T>(what: string, ask: (sdk: ComputeClients) => Promise<T>): Promise<T> {
		return this.#call(what, (sdk) => repeatAfterReset(() => ask(sdk)));
	}

	async #call<T>(what: string, send: (sdk: ComputeClients) => Promise<T>): Promise<T> {
		this.#clients ??= this.#open();
		const clients = await this.#clients.catch((error: unknown) => {
			// The next call tries again, because credentials may be in place by then.
			this.#clients = null;
			throw noCredentials(what, error);
		});
		try {
			return await send(clients);
		} catch (error) {
			throw toDriverError(error, what);
		}
	}

	/** All rows, or those before the first that `isPast`. */
	async #pages<S extends z.ZodType>(
		what: string,
		schema: S,
		ask: (sdk: ComputeClients, page: { project: string; maxResults: number; pageToken?: string }) => Promise<Page>,
		isPast: (row: z.output<S>) => boolean = () => false,
	): Promise<z.output<S>[]> {
		const rows: z.output<S>[] = [];
		let pageToken: string | null | undefined;
		for (let pages = 0; pages < PAGES_MAX; pages += 1) {
			const page = { ...this.#project(), maxResults: this.#settings.pageSize, ...(pageToken ? { pageToken } : {}) };
			const [found, next] = await this.#read(what, (sdk) => ask(sdk, page));
			for (const row of parse(what, z.array(schema), found)) {
				if (isPast(row)) return rows;
				rows.push(row);
			}
			pageToken = next?.pageToken;
			if (!pageToken) return rows;
		}
		throw notUnderstood(what, `more than ${PAGES_MAX} pages`);
	}
}

/** The SDK wraps the operation, but its types omit that. */
function operationIn(what: string, answer: unknown): GceOperation {
	return parse(what, z.object({ latestResponse: operationSchema }), answer).latestResponse;
}

function parse<S extends z.ZodType>(what: string, schema: S, answer: unknown): z.output<S> {
	const result = schema.safeParse(answer);
	if (result.success) return result.data;
	const [first] = result.error.issues;
	throw notUnderstood(what, first ? `${first.path.join(".")}: ${first.message}` : "unreadable");
}

/** Ignores an error with one of these codes. */
function unlessCode(...codes: string[]): (error: unknown) => void {
	return (error) => {
		if (!(error instanceof DriverError) || !codes.includes(error.providerCode ?? "")) throw error;
	};
}

/** An unreadable response says nothing about whether the call was executed. */
function notUnderstood(what: string, why: string): DriverError {
	return new DriverError("transient", `Google Cloud: ${what}: could not parse the response (${why})`, { providerCode: "UnexpectedAnswer" });
}
