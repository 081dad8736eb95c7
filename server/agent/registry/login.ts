import { z } from "zod";
import { type AwsCredentials, signedHeaders } from "./aws-signature.ts";

/** Credentials for a registry, valid for a few hours at most. */
export interface RegistryLogin {
	user: string;
	password: string;
}

const TIMEOUT_MS = 20_000;
const ECR = /^\d{12}\.dkr\.ecr\.([a-z0-9-]+)\.(amazonaws\.com(?:\.cn)?)$/;
const ecrAnswer = z.object({ authorizationData: z.array(z.object({ authorizationToken: z.string().min(1) })).min(1) });
const acrAnswer = z.object({ refresh_token: z.string().min(1) });

/** Artifact Registry and the older Container Registry. */
export function isGoogles(host: string): boolean {
	return /(^|\.)(gcr\.io|pkg\.dev)$/.test(host);
}

export function isAzures(host: string): boolean {
	return /^[a-z0-9]+\.azurecr\.(io|cn|us)$/.test(host);
}

/** The region and domain of an Amazon registry; null if it is none. */
export function placeOfEcr(host: string): { region: string; domain: string } | null {
	const [, region, domain] = ECR.exec(host) ?? [];
	return region === undefined || domain === undefined ? null : { region, domain };
}

/** The registry's host in an image's name; null for Docker Hub, which image names omit. */
export function registryOf(image: string): string | null {
	const [first = "", ...rest] = image.split("/");
	return rest.length > 0 && /[.:]/.test(first) ? first : null;
}

/**
 * Amazon's API issues a registry password to anyone who may pull.
 * @throws Error with its message
 */
export async function ecrLogin(
	place: { region: string; domain: string },
	credentials: AwsCredentials,
	{ nowMs = Date.now(), api = `https://api.ecr.${place.region}.${place.domain}/` } = {},
): Promise<RegistryLogin> {
	const url = new URL(api);
	const at = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, "");
	const body = "{}";
	const headers = {
		"content-type": "application/x-amz-json-1.1",
		"x-amz-target": "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken",
	};
	const signed = signedHeaders({ method: "POST", url, headers, body }, { credentials, region: place.region, service: "ecr", at });
	const { authorizationData } = ecrAnswer.parse(await ask(url.href, { method: "POST", headers: signed, body }));
	const [user = "", ...password] = Buffer.from(authorizationData[0]?.authorizationToken ?? "", "base64")
		.toString("utf8")
		.split(":");
	return { user, password: password.join(":") };
}

/**
 * Azure's registry exchanges a token of the machine's identity for its own.
 * @throws Error with its message
 */
export async function acrLogin(host: string, identityToken: string, origin = `https://${host}`): Promise<RegistryLogin> {
	const body = new URLSearchParams({ grant_type: "access_token", service: host, access_token: identityToken });
	const { refresh_token: password } = acrAnswer.parse(await ask(`${origin}/oauth2/exchange`, { method: "POST", body }));
	// The user name that Azure requires with a token.
	return { user: "00000000-0000-0000-0000-000000000000", password };
}

async function ask(url: string, init: RequestInit): Promise<unknown> {
	const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
	if (answer.ok) return answer.json();
	throw new Error(`${new URL(url).host} returned ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
}
