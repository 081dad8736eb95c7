import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

const sha256 = (bytes: Uint8Array): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

export interface Registry {
	/** `127.0.0.1:PORT` */
	host: string;
	/** Requested paths. */
	asked: string[];
	/** The required user name and password; null: none. */
	password: string | null;
	close(): Promise<void>;
}

/**
 * A read-only container registry (OCI distribution 1.1) with one image of one layer: `/bin` with a statically linked busybox from
 * Debian's busybox-static. The image's user, entrypoint and folder differ from a job's.
 */
export async function serveRegistry(): Promise<Registry> {
	const applets = "for a in sh cat id sleep env; do ln -s busybox bin/$a; done";
	const make = `d=$(mktemp -d) && cd "$d" && mkdir -p bin srv/app && cp /bin/busybox bin/ && ${applets} && chmod 777 srv/app && tar --owner=0 --group=0 -c . && rm -r "$d"`;
	const layer = execFileSync("sh", ["-c", make], { maxBuffer: 32 * 1024 ** 2 });
	const packed = gzipSync(layer, { level: 1 });
	const config = Buffer.from(
		JSON.stringify({
			architecture: process.arch === "arm64" ? "arm64" : "amd64",
			os: "linux",
			rootfs: { type: "layers", diff_ids: [sha256(layer)] },
			config: { Env: ["PATH=/bin", "FROM_IMAGE=yes"], Entrypoint: ["/bin/false"], User: "1000", WorkingDir: "/srv/app" },
		}),
	);
	const descriptorOf = (mediaType: string, bytes: Buffer) => ({ mediaType, size: bytes.length, digest: sha256(bytes) });
	const manifest = Buffer.from(
		JSON.stringify({
			schemaVersion: 2,
			mediaType: "application/vnd.oci.image.manifest.v1+json",
			config: descriptorOf("application/vnd.oci.image.config.v1+json", config),
			layers: [descriptorOf("application/vnd.oci.image.layer.v1.tar+gzip", packed)],
		}),
	);
	const blobs = new Map([config, packed].map((bytes) => [sha256(bytes), bytes]));
	const registry: Registry = { host: "", asked: [], password: null, close: async () => {} };
	const server = createServer((request, response) => {
		const path = request.url ?? "";
		registry.asked.push(path);
		const say = (status: number, body: string | Buffer, headers: Record<string, string> = {}): void =>
			void response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers }).end(request.method === "HEAD" ? "" : body);
		const refuse = (status: number, code: string, headers: Record<string, string> = {}): void =>
			say(status, JSON.stringify({ errors: [{ code, message: code.toLowerCase().replaceAll("_", " ") }] }), headers);
		const given = Buffer.from(request.headers.authorization?.replace("Basic ", "") ?? "", "base64").toString();
		if (registry.password !== null && given !== registry.password)
			return refuse(401, "UNAUTHORIZED", { "www-authenticate": 'Basic realm="test"' });
		if (path === "/v2/") return say(200, "{}");
		const [, name, kind, which = ""] = /^\/v2\/(.+)\/(manifests|blobs)\/(.+)$/.exec(path) ?? [];
		if (name !== "acme/train") return refuse(404, "NAME_UNKNOWN");
		if (kind === "blobs") {
			const blob = blobs.get(which);
			return blob ? say(200, blob) : refuse(404, "BLOB_UNKNOWN");
		}
		if (which !== "1.2" && which !== sha256(manifest)) return refuse(404, "MANIFEST_UNKNOWN");
		say(200, manifest, { "content-type": "application/vnd.oci.image.manifest.v1+json", "docker-content-digest": sha256(manifest) });
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	registry.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	registry.close = () =>
		new Promise((resolve) => {
			server.close(() => resolve());
			server.closeAllConnections();
		});
	return registry;
}
