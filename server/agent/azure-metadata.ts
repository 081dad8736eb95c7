import { z } from "zod";
import { deleteOwnMachine, identityTokenOf } from "./azure-self-deletion.ts";
import type { IdentityChallenge, IdentityDocument } from "./identity-document.ts";
import type { MachineMetadata } from "./metadata.ts";
import { acrLogin, isAzures, type RegistryLogin } from "./registry/login.ts";

const TIMEOUT_MS = 2_000;
const compute = z.object({ name: z.string().min(1), resourceGroupName: z.string().min(1) });
const attested = z.object({ encoding: z.literal("pkcs7"), signature: z.string().min(1) });
const card = z.object({ ipv4: z.object({ ipAddress: z.array(z.object({ privateIpAddress: z.string() })) }) });
const machine = z.object({ network: z.object({ interface: z.array(card) }) });
const events = z.object({
	Events: z.array(z.object({ EventType: z.string(), Resources: z.array(z.string()), NotBefore: z.string().default("") })),
});

/**
 * Azure's instance metadata service, including Scheduled Events. A `Preempt` event announces a spot eviction at least 30 seconds
 * ahead; a `Terminate` event announces a deletion if the owner enabled it. Maintenance that the machine survives is ignored.
 */
export class AzureMetadata implements MachineMetadata {
	readonly #base: string;
	readonly #nowMs: () => number;
	#name: string | null = null;

	constructor(base: string, nowMs: () => number = Date.now) {
		this.#base = base;
		this.#nowMs = nowMs;
	}

	/** `resourceGroup/name`, the control plane's id for Azure machines. */
	async instanceId(): Promise<string> {
		const { name, resourceGroupName } = compute.parse(await this.#get("/metadata/instance/compute?api-version=2021-02-01"));
		this.#name = name;
		return `${resourceGroupName}/${name}`.toLowerCase();
	}

	async privateAddress(): Promise<string | null> {
		const { network } = machine.parse(await this.#get("/metadata/instance?api-version=2021-02-01"));
		return network.interface[0]?.ipv4.ipAddress[0]?.privateIpAddress || null;
	}

	async identityDocument({ digits }: IdentityChallenge): Promise<IdentityDocument> {
		const found = attested.parse(await this.#get(`/metadata/attested/document?api-version=2020-09-01&nonce=${digits}`));
		return { kind: "azure", pkcs7: found.signature };
	}

	/** Events may concern other machines of the scale set, so check which machines an event names. */
	async notice(): Promise<{ atMs: number } | null> {
		if (this.#name === null) await this.instanceId();
		const { Events } = events.parse(await this.#get("/metadata/scheduledevents?api-version=2020-07-01"));
		const ends = Events.filter(({ EventType }) => EventType === "Preempt" || EventType === "Terminate");
		const [ours] = ends.filter(({ Resources }) => Resources.some((name) => name.toLowerCase() === this.#name?.toLowerCase()));
		if (!ours) return null;
		// An event without a time has already started.
		const atMs = Date.parse(ours.NotBefore);
		return { atMs: Number.isNaN(atMs) ? this.#nowMs() : atMs };
	}

	deleteMachine(): Promise<boolean> {
		return deleteOwnMachine(this.#base);
	}

	async registryLogin(host: string): Promise<RegistryLogin | null> {
		const token = isAzures(host) ? await identityTokenOf(this.#base) : null;
		return token === null ? null : acrLogin(host, token);
	}

	async #get(path: string): Promise<unknown> {
		const answer = await fetch(`${this.#base}${path}`, { headers: { metadata: "true" }, signal: AbortSignal.timeout(TIMEOUT_MS) });
		if (answer.ok) return answer.json();
		await answer.body?.cancel();
		throw new Error(`the metadata service returned ${answer.status} for ${path}`);
	}
}
