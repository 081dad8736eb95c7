/**
 * A parsed data set URI: the kind of store, the path in it, and the section of the operator's remotes that has its
 * credentials.
 */
export interface DataAddress {
	kind: "file" | "s3" | "gs" | "azblob" | "sftp" | "webdav" | "http" | "remote";
	/** In the store: `bucket/path`, `container/path`, or a path on the host. */
	path: string;
	/**
	 * Section of the remotes file that overrides the machine's own identity: the scheme for object stores, the host for
	 * others, and the name itself for `rclone://NAME/path`. Null: none can.
	 */
	remote: string | null;
	/** Azure storage account. */
	account?: string;
	/** For sftp. */
	user?: string;
	port?: number;
	/** Server address, for webdav and http. */
	url?: string;
}

export const DATA_SCHEMES = ["file", "s3", "gs", "azblob", "sftp", "webdav", "webdavs", "http", "https", "rclone"] as const;

const BLOB_HOST = /^([a-z0-9]{3,24})\.blob\.core\.windows\.net$/;

/** @throws DataAddressError with what is wrong and what is expected */
export function dataAddressOf(uri: string): DataAddress {
	const address = parseAddress(uri);
	// An encoded "/.." resolves to a different path than it shows. Host paths are checked where they are read.
	if (address.kind !== "file" && UNSAFE_PATH.test(address.path))
		throw new DataAddressError('its path must not contain ".." or control characters');
	return address;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const UNSAFE_PATH = /(^|\/)\.\.(\/|$)|[\u0000-\u001f\u007f]/;

function parseAddress(uri: string): DataAddress {
	const scheme = uri.slice(0, uri.indexOf(":")).toLowerCase();
	if (scheme === "file") {
		const path = uri.slice("file:".length);
		// Only the sender knows the folder that a relative path starts at.
		if (!path.startsWith("/")) throw new DataAddressError("must be absolute, for example file:///data/in");
		return { kind: "file", path, remote: null };
	}
	const url = URL.canParse(uri) ? new URL(uri) : null;
	if (url === null || url.hostname === "")
		throw new DataAddressError(`${scheme}: needs a location after it, for example ${EXAMPLES[scheme] ?? EXAMPLES["s3"]}`);
	const host = decodeURIComponent(url.hostname);
	const path = decodePath(url.pathname);
	switch (scheme) {
		case "s3":
		case "gs":
			return { kind: scheme, path: joined(host, path), remote: scheme };
		case "azblob":
			return blobAddress(host, path);
		case "sftp":
			return {
				kind: "sftp",
				path: url.pathname.startsWith("/~/") ? path.slice(2) : `/${path}`,
				remote: host,
				url: host,
				...(url.username && { user: decodeURIComponent(url.username) }),
				...(url.port && { port: Number(url.port) }),
			};
		case "webdav":
		case "webdavs":
			return { kind: "webdav", path, remote: host, url: `${scheme === "webdav" ? "http" : "https"}://${url.host}` };
		case "http":
		case "https": {
			const account = BLOB_HOST.exec(host)?.[1];
			if (scheme === "https" && account !== undefined && url.search === "") return blobAddress(account, path);
			return { kind: "http", path, remote: null, url: uri };
		}
		case "rclone":
			return { kind: "remote", path, remote: host };
		default:
			throw new DataAddressError(`${scheme}: is not a supported kind of store; use ${DATA_SCHEMES.map((s) => `${s}:`).join(", ")}`);
	}
}

const EXAMPLES: Readonly<Record<string, string>> = {
	s3: "s3://bucket/path",
	gs: "gs://bucket/path",
	azblob: "azblob://account/container/path",
	sftp: "sftp://user@host/path",
	webdav: "webdav://host/path",
	webdavs: "webdavs://host/path",
	http: "http://host/file",
	https: "https://host/file",
	rclone: "rclone://remote/path",
};

function blobAddress(account: string, path: string): DataAddress {
	if (path === "") throw new DataAddressError(`azblob: needs a container too, for example ${EXAMPLES["azblob"]}`);
	return { kind: "azblob", path, remote: "azblob", account };
}

function joined(first: string, rest: string): string {
	return rest === "" ? first : `${first}/${rest}`;
}

function decodePath(pathname: string): string {
	const path = pathname.replace(/^\/+/, "");
	try {
		return decodeURIComponent(path);
	} catch {
		return path;
	}
}

/** A URI that cannot be fetched; the message is for its author. */
export class DataAddressError extends Error {
	override name = "DataAddressError";
}
