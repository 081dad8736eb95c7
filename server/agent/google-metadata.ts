import { z } from "zod";
import type { IdentityChallenge, IdentityDocument } from "./identity-document.ts";
import type { MachineMetadata } from "./metadata.ts";
import { isGoogles, type RegistryLogin } from "./registry/login.ts";

const TIMEOUT_MS = 2_000;
/** Longest time from the notice to the end of a spot machine (Compute Engine, "Spot VMs", "Preemption process"). */
const PREEMPTION_NOTICE_MS = 30_000;

const accessToken = z.object({ access_token: z.string().min(1) });

/** Metadata key that the control plane sets on hosts of a TPU slice: the slice's id. */
export const SLICE_KEY = "spillway-slice";
const SLICE_PATH = `/instance/attributes/${SLICE_KEY}`;

/** Google's metadata server. Its notice contains no time, so the seconds count from when it was first seen. */
export class GoogleMetadata implements MachineMetadata {
	readonly #base: string;
	readonly #nowMs: () => number;
	#notice: { atMs: number } | null = null;

	/** `host` as in GCE_METADATA_HOST: a name or an address, optionally with a port. */
	constructor(host: string, nowMs: () => number = Date.now) {
		this.#base = `http://${host.replace(/\/+$/, "")}/computeMetadata/v1`;
		this.#nowMs = nowMs;
	}

	/** `<zone>/<number>`, the control plane's id for Google machines; a host of a TPU slice has the slice's id and its worker number. */
	async instanceId(): Promise<string> {
		const slice = await this.#find(SLICE_PATH);
		if (slice !== null) return `${slice}/${await this.#get("/instance/attributes/agent-worker-number")}`;
		const [zone, id] = await Promise.all([this.#get("/instance/zone"), this.#get("/instance/id")]);
		return `${zone.slice(zone.lastIndexOf("/") + 1)}/${id}`;
	}

	privateAddress(): Promise<string> {
		return this.#get("/instance/network-interfaces/0/ip");
	}

	/**
	 * Google signs identity documents for machines that have a service account. That of a TPU host names an instance that the TPU API does
	 * not report, so it identifies no machine of the control plane.
	 */
	async identityDocument({ audience }: IdentityChallenge): Promise<IdentityDocument | null> {
		if ((await this.#find(SLICE_PATH)) !== null) return null;
		const path = `/instance/service-accounts/default/identity?audience=${encodeURIComponent(audience)}&format=full`;
		const token = await this.#find(path);
		return token === null ? null : { kind: "gcp", token };
	}

	async notice(): Promise<{ atMs: number } | null> {
		if ((await this.#get("/instance/preempted")) === "TRUE") this.#notice ??= { atMs: this.#nowMs() + PREEMPTION_NOTICE_MS };
		return this.#notice;
	}

	async registryLogin(host: string): Promise<RegistryLogin | null> {
		if (!isGoogles(host)) return null;
		const found = await this.#get("/instance/service-accounts/default/token").catch(() => null);
		// A machine without a service account has no token.
		if (found === null) return null;
		return { user: "oauth2accesstoken", password: accessToken.parse(JSON.parse(found)).access_token };
	}

	async #get(path: string): Promise<string> {
		const found = await this.#find(path);
		if (found === null) throw new Error(`the metadata server returned 404 for ${path}`);
		return found;
	}

	/** Returns null for 404. */
	async #find(path: string): Promise<string | null> {
		const headers = { "metadata-flavor": "Google" };
		const answer = await fetch(`${this.#base}${path}`, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
		const text = await answer.text();
		if (answer.status === 404) return null;
		if (!answer.ok) throw new Error(`the metadata server returned ${answer.status} for ${path}`);
		return text.trim();
	}
}
