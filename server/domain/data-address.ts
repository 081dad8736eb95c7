/** What a data set's uri says: which kind of store, where in it, and which section of the operator's remotes speaks for it. */
export interface DataAddress {
	kind: "file" | "s3" | "gs" | "azblob" | "sftp" | "webdav" | "http" | "remote";
	/** In the store: `bucket/path`, `container/path`, or a path of the host. */
	path: string;
	/**
	 * Name of the section of the remotes' file that counts before the machine's own identity: the scheme for object stores, the
	 * host for others, and the name itself for `rclone://NAME/path`. Null: none can.
	 */
	remote: string | null;
	/** Storage account of Azure. */
	account?: string;
	/** Of sftp. */
	user?: string;
	port?: number;
	/** Address of the server, of webdav and http. */
	url?: string;
}

export const DATA_SCHEMES = ["file", "s3", "gs", "azblob", "sftp", "webdav", "webdavs", "http", "https", "rclone"] as const;

const BLOB_HOST = /^([a-z0-9]{3,24})\.blob\.core\.windows\.net$/;

/** @throws DataAddressError with what is wrong and how it should be. */
export function dataAddressOf(uri: string): DataAddress {
	const address = parseAddress(uri);
	// An encoded "/.." names another place than it seems to. Paths of hosts are checked where they are read.
	if (address.kind !== "file" && UNSAFE_PATH.test(address.path))
		throw new DataAddressError('its path must not contain ".." or control characters');
	return address;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const UNSAFE_PATH = /(^|\/)\.\.(\/|$)|[\u0000-\u001f\u007f]/;

function parseAddress(uri: string): DataAddress {
	const scheme = uri.slice(0, uri.indexOf(":")).toLowerCase();
	if (scheme === "file") return { kind: "file", path: uri.slice("file:".length), remote: null };
	const url = URL.canParse(uri) ? new URL(uri) : null;
	if (url === null || url.hostname === "")
		throw new DataAddressError(`${scheme}: needs a place after it, for example ${EXAMPLES[scheme] ?? EXAMPLES["s3"]}`);
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
			throw new DataAddressError(
				`${scheme}: is no kind of store that can be fetched from; use ${DATA_SCHEMES.map((s) => `${s}:`).join(", ")}`,
			);
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

/** A uri that nothing can be fetched by; the message is for anyone who wrote it. */
export class DataAddressError extends Error {
	override name = "DataAddressError";
}
