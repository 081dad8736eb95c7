import type {
	AvailabilitySet,
	ComputeManagementClient,
	ResourceSku,
	VirtualMachine,
	VirtualMachinesCreateOrUpdateOptionalParams,
} from "@azure/arm-compute";
import { z } from "zod";
import { DriverError } from "../driver-errors.ts";
import type { Reach } from "../reach.ts";
import { connect, tokenOf } from "./connect.ts";
import { toDriverError } from "./errors.ts";
import { networkGroupSchema, reachThrough, subnetSchema } from "./gang-network.ts";
import { type AzureSet, availabilitySetSchema } from "./gang-placement.ts";
import { type AzureStatus, type AzureVm, azureStatusSchema, azureVmAnswerSchema, azureVmSchema, NETWORK_API_VERSION } from "./mapper.ts";
import type { MachineRef } from "./names.ts";
import type { ParsedAzureSettings } from "./settings.ts";

/** More items than any subscription has. An endpoint that returns links forever is an error, not a loop. */
const ITEMS_MAX = 500_000;

const skuSchema = z.object({
	resourceType: z.string(),
	name: z.string().min(1),
	/** The family under which its core quota is kept. */
	family: z.string().optional(),
	locationInfo: z.array(z.object({ location: z.string(), zones: z.array(z.string()).default([]) })).default([]),
	capabilities: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
	restrictions: z
		.array(
			z.object({
				type: z.string(),
				reasonCode: z.string().default("NotAvailableForSubscription"),
				restrictionInfo: z
					.object({ locations: z.array(z.string()).default([]), zones: z.array(z.string()).default([]) })
					.default({ locations: [], zones: [] }),
			}),
		)
		.default([]),
});
export type AzureSku = z.output<typeof skuSchema>;

export interface CoreQuota {
	/** Azure's key in lower case: a family of sizes, `cores` (all on-demand in a region) or `lowprioritycores` (all spot). */
	key: string;
	name: string;
	limit: number;
	used: number;
}

const usageSchema = z.object({
	name: z.object({ value: z.string().optional(), localizedValue: z.string().optional() }),
	limit: z.number(),
	currentValue: z.number(),
});

/** The driver's Azure calls. Every response is validated. */
export class AzureCalls {
	readonly #settings: ParsedAzureSettings;
	/** The SDK takes half a second to load, so a control plane without an Azure site does not load it. */
	#client: Promise<ComputeManagementClient> | undefined;

	constructor(settings: ParsedAzureSettings) {
		this.#settings = settings;
	}

	/** The first page of the resource group's machines. It proves credentials, subscription and group in one call. */
	async checkGroup(): Promise<void> {
		const { resourceGroup } = this.#settings;
		await this.#call(`machines of the resource group ${resourceGroup}`, async (client) => {
			await client.virtualMachines.list(resourceGroup).byPage().next();
		});
	}

	/**
	 * Creates a machine unless one with its name exists. Returns when Azure has accepted the request; missing capacity shows only
	 * later.
	 * @throws DriverError with the provider code PreconditionFailed if one exists
	 */
	async create({ resourceGroup, name }: MachineRef, machine: VirtualMachine): Promise<AzureVm> {
		const what = `launch of ${machine.hardwareProfile?.vmSize} in ${machine.location}`;
		let answer: unknown;
		const options: VirtualMachinesCreateOrUpdateOptionalParams = {
			ifNoneMatch: "*",
			// The SDK's own result arrives only when the operation is complete.
			onResponse: ({ parsedBody }) => {
				answer = parsedBody;
			},
		};
		await this.#call(what, (client) => client.virtualMachines.createOrUpdate(resourceGroup, name, machine, options).submitted());
		return parse(what, azureVmAnswerSchema, answer);
	}

	/** Returns a machine with its state, or null if Azure reports that it does not exist. */
	async get({ resourceGroup, name }: MachineRef): Promise<AzureVm | null> {
		const what = `machine ${name}`;
		try {
			const found = await this.#call(what, (client) => client.virtualMachines.get(resourceGroup, name, { expand: "instanceView" }));
			return parse(what, azureVmSchema, found);
		} catch (error) {
			if (error instanceof DriverError && error.kind === "not_found") return null;
			throw error;
		}
	}

	/** Every machine in a region, in any resource group, without its power state. */
	listRegion(region: string): Promise<AzureVm[]> {
		return this.#all(`machines in ${region}`, azureVmSchema, (client) => client.virtualMachines.listByLocation(region));
	}

	/** The power states of all machines in the subscription. */
	listStatuses(): Promise<AzureStatus[]> {
		return this.#all("states of machines", azureStatusSchema, (client) => client.virtualMachines.listAll({ statusOnly: "true" }));
	}

	/**
	 * Returns when Azure has accepted the deletion. It is forced, because nothing on the machine is worth waiting for an orderly
	 * shutdown.
	 */
	async delete({ resourceGroup, name }: MachineRef): Promise<void> {
		await this.#call(`deletion of ${name}`, (client) =>
			client.virtualMachines.delete(resourceGroup, name, { forceDeletion: true }).submitted(),
		);
	}

	/** Returns when Azure has accepted the deallocation. It keeps the disk and releases everything else. */
	async deallocate({ resourceGroup, name }: MachineRef): Promise<void> {
		await this.#call(`deallocation of ${name}`, (client) => client.virtualMachines.deallocate(resourceGroup, name).submitted());
	}

	/** Returns when Azure has accepted the start; missing capacity shows only later. */
	async start({ resourceGroup, name }: MachineRef): Promise<void> {
		await this.#call(`start of ${name}`, (client) => client.virtualMachines.start(resourceGroup, name).submitted());
	}

	/** Creates an availability set, or leaves an equal one as it is. */
	async createSet(name: string, set: AvailabilitySet): Promise<void> {
		const { resourceGroup } = this.#settings;
		await this.#call(`availability set ${name}`, (client) => client.availabilitySets.createOrUpdate(resourceGroup, name, set));
	}

	/** The resource group's availability sets. */
	listSets(): Promise<AzureSet[]> {
		const { resourceGroup } = this.#settings;
		return this.#all("availability sets", availabilitySetSchema, (client) => client.availabilitySets.list(resourceGroup));
	}

	/** Does nothing while the set has machines, or if it does not exist. */
	async deleteSet(name: string): Promise<void> {
		const { resourceGroup } = this.#settings;
		try {
			await this.#call(`deletion of the availability set ${name}`, (client) => client.availabilitySets.delete(resourceGroup, name));
		} catch (error) {
			// Azure's code for a set with machines.
			const isUsed = error instanceof DriverError && error.providerCode === "OperationNotAllowed";
			if (!isUsed && !(error instanceof DriverError && error.kind === "not_found")) throw error;
		}
	}

	/** Whether the marketplace has a version of an image in a region; null if the account may not look. */
	async imageExists(region: string, { publisher, offer, sku }: { publisher: string; offer: string; sku: string }): Promise<boolean | null> {
		try {
			const versions = await this.#call(`image ${sku} in ${region}`, (client) =>
				client.virtualMachineImages.list(region, publisher, offer, sku, { top: 1 }),
			);
			return versions.length > 0;
		} catch (error) {
			if (!(error instanceof DriverError)) throw error;
			if (error.kind === "unauthorized") return null;
			if (error.kind === "invalid_request" || error.kind === "not_found") return false;
			throw error;
		}
	}

	/** What is sold in a region to this subscription. */
	async sizes(region: string): Promise<AzureSku[]> {
		const found = await this.#all(
			`sizes in ${region}`,
			skuSchema,
			(client): AsyncIterable<ResourceSku> => client.resourceSkus.list({ filter: `location eq '${region}'` }),
		);
		return found.filter(({ resourceType }) => resourceType === "virtualMachines");
	}

	/** Used cores and limit of each family of sizes in a region, by key, with its display name; null if the account may not look. */
	async coreQuotas(region: string): Promise<CoreQuota[] | null> {
		try {
			const rows = await this.#all(`quotas in ${region}`, usageSchema, (client) => client.usage.list(region));
			return rows.map(({ name: { value, localizedValue }, limit, currentValue }) => {
				const name = localizedValue ?? value ?? "?";
				return { key: (value ?? name).toLowerCase(), name, limit, used: currentValue };
			});
		} catch (error) {
			if (error instanceof DriverError && (error.kind === "unauthorized" || error.kind === "not_found" || error.kind === "invalid_request"))
				return null;
			throw error;
		}
	}

	/**
	 * Whether the security groups of a region's machines let them reach each other: the subnet's group, and the one that the site
	 * names; null if the account may not look. The compute SDK does not cover networks, so they are requested by id.
	 */
	async reachIn(region: string): Promise<Reach | null> {
		const { subnets, securityGroups } = this.#settings;
		const subnet = subnets[region];
		try {
			const found = subnet === undefined ? null : parse(`subnet in ${region}`, subnetSchema, await this.#resource(subnet));
			const ids = [found?.properties.networkSecurityGroup?.id, securityGroups[region]].filter((id) => id !== undefined);
			const groups = ids.map(async (id) => reachThrough(parse(`security group ${id}`, networkGroupSchema, await this.#resource(id))));
			const reaches = await Promise.all(groups);
			return reaches.includes("no") ? "no" : reaches.includes("maybe") ? "maybe" : "yes";
		} catch (error) {
			if (!(error instanceof DriverError)) throw error;
			// An endpoint that serves only machines has no networks.
			if (error.kind === "unauthorized" || error.kind === "not_found" || error.providerCode === "InvalidResourceType") return null;
			throw error;
		}
	}

	/** A resource of Azure's network API, unparsed. */
	async #resource(id: string): Promise<unknown> {
		const what = `${id.split("/").at(-1)}`;
		try {
			const { endpoint = "https://management.azure.com", answerTimeoutMs } = this.#settings;
			const answer = await fetch(`${endpoint}${id}?api-version=${NETWORK_API_VERSION}`, {
				headers: { authorization: `Bearer ${await tokenOf(this.#settings)}` },
				signal: AbortSignal.timeout(answerTimeoutMs),
			});
			if (answer.ok) return await answer.json();
			const { error } = z.object({ error: z.object({ code: z.string(), message: z.string() }) }).parse(await answer.json());
			throw Object.assign(new Error(error.message), { name: "RestError", statusCode: answer.status, code: error.code });
		} catch (error) {
			throw toDriverError(error, what);
		}
	}

	async #call<T>(what: string, send: (client: ComputeManagementClient) => Promise<T>): Promise<T> {
		try {
			this.#client ??= connect(this.#settings);
			return await send(await this.#client);
		} catch (error) {
			throw toDriverError(error, what);
		}
	}

	#all<S extends z.ZodType>(
		what: string,
		schema: S,
		list: (client: ComputeManagementClient) => AsyncIterable<unknown>,
	): Promise<z.output<S>[]> {
		return this.#call(what, async (client) => {
			const items: z.output<S>[] = [];
			for await (const item of list(client)) {
				if (items.length >= ITEMS_MAX) throw notUnderstood(what, `more than ${ITEMS_MAX} items`);
				items.push(parse(what, schema, item));
			}
			return items;
		});
	}
}

function parse<S extends z.ZodType>(what: string, schema: S, answer: unknown): z.output<S> {
	const result = schema.safeParse(answer);
	if (result.success) return result.data;
	const [first] = result.error.issues;
	throw notUnderstood(what, first ? `${first.path.join(".")}: ${first.message}` : "unreadable");
}

/** An unreadable response says nothing about whether the call was executed. */
function notUnderstood(what: string, why: string): DriverError {
	return new DriverError("transient", `Azure: ${what}: could not parse the response (${why})`, { providerCode: "UnexpectedAnswer" });
}
