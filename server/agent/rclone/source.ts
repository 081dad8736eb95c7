import { type DataAddress, dataAddressOf } from "#server/domain/data-address.ts";
import type { DataRemotes } from "#server/domain/data-remotes.ts";
import { StagingError } from "../safe-path.ts";

/** What rclone fetches: a path of a remote with options from the environment, or a plain address. */
export type RcloneSource = (
	| { kind: "remote"; options: Readonly<Record<string, string>>; path: string }
	| { kind: "address"; url: string }
) & {
	/** The server that the job chose; null if the operator or the type of store determines it. */
	jobsUrl: string | null;
};

/**
 * Where rclone finds a data set. A remote of that name set up by the operator has priority. Otherwise the machine's own identity
 * is used (an instance's role, a managed identity, a service account), and stores that need a password are rejected.
 * @throws StagingError; DataAddressError for an invalid URI
 */
export function rcloneSourceOf(uri: string, remotes: DataRemotes): RcloneSource {
	const address = dataAddressOf(uri);
	const options = remoteOf(address, remotes);
	if (options !== undefined)
		return { kind: "remote", options: { ...placeOptions(address), ...options }, path: address.path, jobsUrl: null };
	switch (address.kind) {
		case "s3":
			return remote(address, { type: "s3", provider: "AWS", env_auth: "true" });
		case "gs":
			return remote(address, { type: "google cloud storage", env_auth: "true" });
		case "azblob":
			return remote(address, { type: "azureblob", use_msi: "true" });
		case "webdav":
			return remote(address, { type: "webdav", vendor: "other" });
		case "http":
			// A folder's listing or one file. Its address may contain a signature.
			if (address.url?.endsWith("/"))
				return { kind: "remote", options: { type: "http", url: address.url }, path: "", jobsUrl: address.url };
			return { kind: "address", url: address.url ?? uri, jobsUrl: address.url ?? uri };
		case "sftp":
		case "remote":
			throw new StagingError(`there is no data remote "${address.remote}". An administrator can add it, see docs/data.md`);
		case "file":
			throw new StagingError("a file is copied, not fetched");
	}
}

/** The operator's remote for an address, if there is one. */
export function remoteOf({ remote }: DataAddress, remotes: DataRemotes): DataRemotes[string] | undefined {
	return remote !== null && Object.hasOwn(remotes, remote) ? remotes[remote] : undefined;
}

function remote(address: DataAddress, options: Record<string, string>): RcloneSource {
	return { kind: "remote", options: { ...options, ...placeOptions(address) }, path: address.path, jobsUrl: address.url ?? null };
}

/** The location that the URI itself contains, in rclone's notation. */
function placeOptions({ kind, account, user, port, url }: DataAddress): Record<string, string> {
	switch (kind) {
		case "azblob":
			return account === undefined ? {} : { account };
		case "sftp":
			return { ...(url && { host: url }), ...(user && { user }), ...(port && { port: String(port) }) };
		case "webdav":
			return url === undefined ? {} : { url };
		default:
			return {};
	}
}
