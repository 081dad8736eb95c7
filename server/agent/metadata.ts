import { z } from "zod";
import type { IdentityChallenge, IdentityDocument } from "./identity-document.ts";
import { ecrLogin, placeOfEcr, type RegistryLogin } from "./registry/login.ts";
import { pause } from "./wait.ts";

/** What a cloud reports to its own machine. One implementation per cloud. */
export interface MachineMetadata {
	/** @throws Error if the service does not respond */
	instanceId(): Promise<string>;
	/**
	 * Returns when the provider reclaims the machine, or null without a notice.
	 * @throws Error if the service does not respond
	 */
	notice(): Promise<{ atMs: number } | null>;
	/**
	 * Returns the address within the provider's network, or null if the service has none.
	 * @throws Error if the service does not respond
	 */
	privateAddress(): Promise<string | null>;
	/**
	 * Returns the identity document that the provider signs for its machine, or null if there is none for this one.
	 * @throws Error if the service does not respond
	 */
	identityDocument(challenge: IdentityChallenge): Promise<IdentityDocument | null>;
	/**
	 * Deletes the machine by the provider's own API, where a machine that is only powered off is still billed. Returns false if the
	 * provider has no such API.
	 * @throws Error if the provider rejects the request or does not respond
	 */
	deleteMachine?(): Promise<boolean>;
	/**
	 * Returns credentials for a registry of the same cloud, based on the machine's identity. null if the registry belongs to another
	 * cloud or the machine has no identity.
	 * @throws Error if the cloud rejects the request or does not respond
	 */
	registryLogin(host: string): Promise<RegistryLogin | null>;
}

const TIMEOUT_MS = 2_000;
const TOKEN_TTL_S = 21_600;
const instanceAction = z.object({ action: z.enum(["terminate", "stop", "hibernate"]), time: z.iso.datetime() });

const roleCredentials = z.object({ AccessKeyId: z.string(), SecretAccessKey: z.string(), Token: z.string() });

/** Amazon's instance metadata service, version 2. */
export class Ec2Metadata implements MachineMetadata {
	readonly #base: string;
	#token: string | null = null;

	constructor(base: string) {
		this.#base = base;
	}

	async instanceId(): Promise<string> {
		const id = await this.#get("/latest/meta-data/instance-id");
		if (id === null) throw new Error("the metadata service has no instance-id");
		return id.trim();
	}

	async privateAddress(): Promise<string | null> {
		return (await this.#get("/latest/meta-data/local-ipv4"))?.trim() || null;
	}

	/** Amazon signs facts about the machine, without a challenge. */
	async identityDocument(): Promise<IdentityDocument | null> {
		const pkcs7 = await this.#get("/latest/dynamic/instance-identity/rsa2048");
		return pkcs7 === null ? null : { kind: "aws", pkcs7 };
	}

	async notice(): Promise<{ atMs: number } | null> {
		const text = await this.#get("/latest/meta-data/spot/instance-action");
		if (text === null) return null;
		return { atMs: Date.parse(instanceAction.parse(JSON.parse(text)).time) };
	}

	async registryLogin(host: string): Promise<RegistryLogin | null> {
		const place = placeOfEcr(host);
		if (place === null) return null;
		const path = "/latest/meta-data/iam/security-credentials/";
		const role = (await this.#get(path))?.trim().split("\n")[0];
		const found = role ? await this.#get(`${path}${role}`) : null;
		if (found === null) return null;
		const { AccessKeyId, SecretAccessKey, Token } = roleCredentials.parse(JSON.parse(found));
		return ecrLogin(place, { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token });
	}

	/** Returns null for 404, the usual response for notices. */
	async #get(path: string): Promise<string | null> {
		for (let tries = 0; ; tries++) {
			this.#token ??= await this.#newToken();
			const answer = await this.#fetch(path, { headers: { "x-aws-ec2-metadata-token": this.#token } });
			if (answer.ok) return answer.text();
			await answer.body?.cancel();
			if (answer.status === 404) return null;
			if (answer.status !== 401 || tries > 0) throw new Error(`the metadata service returned ${answer.status} for ${path}`);
			this.#token = null;
		}
	}

	async #newToken(): Promise<string> {
		const answer = await this.#fetch("/latest/api/token", {
			method: "PUT",
			headers: { "x-aws-ec2-metadata-token-ttl-seconds": String(TOKEN_TTL_S) },
		});
		if (!answer.ok) throw new Error(`the metadata service returned ${answer.status} for a token request`);
		return answer.text();
	}

	#fetch(path: string, init: RequestInit): Promise<Response> {
		return fetch(`${this.#base}${path}`, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
	}
}

/** Retries until the service responds; a machine that has just booted may not have its network yet. */
export async function untilInstanceId(metadata: MachineMetadata, signal: AbortSignal, log: (text: string) => void): Promise<string> {
	for (;;) {
		try {
			return await metadata.instanceId();
		} catch (error) {
			log(`the metadata service does not respond yet: ${error instanceof Error ? error.message : String(error)}`);
		}
		if (!(await pause(1_000, signal))) throw new Error("the instance reached its maximum lifetime before the metadata service responded");
	}
}

/** Does not retry: only a gang needs the address, and the provider's API usually reports it too. */
export async function findPrivateAddress(metadata: MachineMetadata, log: (text: string) => void): Promise<string | null> {
	try {
		return await metadata.privateAddress();
	} catch (error) {
		log(`could not get the private address from the metadata service: ${error instanceof Error ? error.message : String(error)}`);
		return null;
	}
}

/** Polls for the provider's notice until there is one. Short outages of the service are ignored. */
export async function watchNotice(
	metadata: MachineMetadata,
	options: { pollMs: number; signal: AbortSignal; onNotice(notice: { atMs: number }): void; log(text: string): void },
): Promise<void> {
	let failing = false;
	do {
		try {
			const notice = await metadata.notice();
			failing = false;
			if (notice) return options.onNotice(notice);
		} catch (error) {
			if (!failing) options.log(`could not read the metadata service: ${error instanceof Error ? error.message : String(error)}`);
			failing = true;
		}
	} while (await pause(options.pollMs, options.signal));
}
