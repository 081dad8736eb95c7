import { createCipheriv, randomBytes } from "node:crypto";
import { type ConfigOf, joinPath, type OpenStore, type StoreRemote } from "#server/domain/store.ts";

/** The store with its own credentials. Only for the control plane's host. */
export function ownRemote(store: OpenStore, folder: string): StoreRemote {
	const path = pathIn(store, folder);
	switch (store.config.kind) {
		case "s3": {
			const { accessKeyId, secretAccessKey } = secretOf(store, "s3");
			return { path, options: { ...s3Options(store.config), access_key_id: accessKeyId, secret_access_key: secretAccessKey } };
		}
		case "gcs": {
			const { endpoint } = store.config;
			const credentials = JSON.stringify(JSON.parse(secretOf(store, "gcs").serviceAccountKey));
			return { path, options: { ...gcsOptions(endpoint), service_account_credentials: credentials } };
		}
		case "azblob": {
			const { account, endpoint } = store.config;
			const options = { type: "azureblob", account, key: secretOf(store, "azblob").accountKey, ...(endpoint && { endpoint }) };
			return { path, options };
		}
		case "webdav": {
			const { user, password } = secretOf(store, "webdav");
			return { path, options: { type: "webdav", url: store.config.url, vendor: store.config.vendor, user, pass: obscured(password) } };
		}
		case "folder":
			return { path, options: { type: "local" } };
	}
}

/** rclone's path of a folder, which starts with the bucket or container if the kind has one. */
export function pathIn({ config }: OpenStore, folder: string): string {
	switch (config.kind) {
		case "s3":
		case "gcs":
			return joinPath(config.bucket, config.prefix, folder);
		case "azblob":
			return joinPath(config.container, config.prefix, folder);
		case "webdav":
			return joinPath(config.prefix, folder);
		case "folder":
			return joinPath(config.path, folder);
	}
}

export function s3Options({ provider, region, endpoint }: ConfigOf<"s3">): Record<string, string> {
	// For its provider "AWS", rclone puts the bucket into the host name, even for another endpoint.
	const kind = endpoint && provider === "AWS" ? "Other" : provider;
	return { type: "s3", provider: kind, region, ...(endpoint && { endpoint }), no_check_bucket: "true" };
}

export function gcsOptions(endpoint: string | undefined): Record<string, string> {
	return {
		type: "google cloud storage",
		bucket_policy_only: "true",
		...(endpoint && { endpoint: `${endpoint.replace(/\/+$/, "")}/storage/v1/` }),
	};
}

type Secrets = { [S in OpenStore as S["config"]["kind"]]: S["secret"] };

/** The secret for its kind. `OpenStore` guarantees the pair, but a union type does not show it. */
export function secretOf<K extends keyof Secrets>(store: OpenStore, kind: K): Secrets[K] {
	if (store.config.kind !== kind) throw new Error(`store ${store.id} is not a ${kind} store`);
	return store.secret as Secrets[K];
}

/** The key with which every rclone obscures passwords. It is public and no protection. rclone, fs/config/obscure/obscure.go. */
const OBSCURE_KEY = Buffer.from("9c935b48730a554d6bfd7c63c886a92bd390198eb8128afbf4de162b8b95f638", "hex");

/** A password in rclone's format: AES-CTR with the IV in front, in base64url. */
function obscured(password: string): string {
	const iv = randomBytes(16);
	const cipher = createCipheriv("aes-256-ctr", OBSCURE_KEY, iv);
	return Buffer.concat([iv, cipher.update(password, "utf8"), cipher.final()]).toString("base64url");
}
