import { importPKCS8, SignJWT } from "jose";
import { z } from "zod";
import { type ConfigOf, joinPath, type OpenStore, type StoreGrant } from "#server/domain/store.ts";
import { type GrantedRemote, StoreError } from "../store-port.ts";
import { gcsOptions, pathIn, secretOf } from "./own-remote.ts";

const SCOPE = "https://www.googleapis.com/auth/devstorage.read_write";
const TOKEN_URL = "https://oauth2.googleapis.com/token";
const STS_URL = "https://sts.googleapis.com";
const TIMEOUT_MS = 20_000;
const HOUR_SECONDS = 3_600;
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

export const serviceAccountKeySchema = z.object({
	client_email: z.string(),
	private_key: z.string(),
	token_uri: z.url().default(TOKEN_URL),
});
const tokenAnswer = z.object({ access_token: z.string().min(1), expires_in: z.number().default(HOUR_SECONDS) });
const tokenError = z.object({ error: z.string(), error_description: z.string().optional() });

/**
 * A downscoped token for one folder: the service account's own token, exchanged under a Credential Access Boundary. It expires
 * with that token, after at most an hour.
 * @throws StoreError
 */
export async function grantGcs(store: OpenStore, config: ConfigOf<"gcs">, grant: StoreGrant): Promise<GrantedRemote> {
	const key = serviceAccountKeySchema.parse(JSON.parse(secretOf(store, "gcs").serviceAccountKey));
	const signed = await new SignJWT({ scope: SCOPE })
		.setProtectedHeader({ alg: "RS256", typ: "JWT" })
		.setIssuer(key.client_email)
		.setAudience(key.token_uri)
		.setIssuedAt()
		.setExpirationTime("1h")
		.sign(await importPKCS8(key.private_key, "RS256"));
	const own = await exchange(key.token_uri, { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: signed });
	const token = await exchange(`${config.stsEndpoint ?? STS_URL}/v1/token`, {
		...{ grant_type: "urn:ietf:params:oauth:grant-type:token-exchange", subject_token: own.access_token },
		...{ subject_token_type: ACCESS_TOKEN, requested_token_type: ACCESS_TOKEN },
		options: JSON.stringify(accessBoundary(config, grant)),
	});
	// The exchange reports no lifetime: the token expires with the one it was derived from.
	const expiresAtMs = Date.now() + Math.min(own.expires_in, token.expires_in) * 1_000;
	// In the format of Go's oauth2.Token. Without a refresh token, rclone cannot extend it.
	const oauth = JSON.stringify({ access_token: token.access_token, token_type: "Bearer", expiry: new Date(expiresAtMs).toISOString() });
	return { path: pathIn(store, grant.folder), options: { ...gcsOptions(config.endpoint), token: oauth }, expiresAtMs };
}

/** Google Cloud IAM, "Credential Access Boundary": objects below the folder, and listing them by that prefix. */
export function accessBoundary(config: Pick<ConfigOf<"gcs">, "bucket" | "prefix">, { folder, mode }: Pick<StoreGrant, "folder" | "mode">) {
	const below = `${joinPath(config.prefix, folder)}/`;
	const roles = mode === "write" ? ["objectViewer", "objectCreator"] : ["objectViewer"];
	const name = JSON.stringify(`projects/_/buckets/${config.bucket}/objects/${below}`);
	const expression = `resource.name.startsWith(${name}) || api.getAttribute('storage.googleapis.com/objectListPrefix', '').startsWith(${JSON.stringify(below)})`;
	return {
		accessBoundary: {
			accessBoundaryRules: [
				{
					availableResource: `//storage.googleapis.com/projects/_/buckets/${config.bucket}`,
					availablePermissions: roles.map((role) => `inRole:roles/storage.${role}`),
					availabilityCondition: { expression },
				},
			],
		},
	};
}

async function exchange(url: string, form: Record<string, string>): Promise<z.output<typeof tokenAnswer>> {
	const answer = await fetch(url, {
		method: "POST",
		redirect: "error",
		body: new URLSearchParams(form),
		signal: AbortSignal.timeout(TIMEOUT_MS),
	});
	const text = await answer.text();
	if (!answer.ok) throw new StoreError(`${new URL(url).host} answered ${answer.status}${reasonOf(text)}`);
	return tokenAnswer.parse(JSON.parse(text));
}

/**
 * The reason in OAuth's format (RFC 6749, 5.2). Nothing else is shown, because the address may be any service inside the network.
 */
function reasonOf(text: string): string {
	try {
		const { error, error_description: detail } = tokenError.parse(JSON.parse(text));
		return `: ${[error, detail].filter(Boolean).join(", ").slice(0, 300)}`;
	} catch {
		return "";
	}
}
