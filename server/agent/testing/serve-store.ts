import { spawn } from "node:child_process";

export const RCLONE = "/usr/bin/rclone";

/** Starts a real rclone server over a folder, which shows changes at once. `uri`: of the folder. */
export function serveStore(folder: string): Promise<{ uri: string; stop(): void }> {
	const child = spawn(RCLONE, ["serve", "webdav", folder, "--addr", "127.0.0.1:0", "-v", "--dir-cache-time=0"], {
		env: { PATH: "/usr/bin:/bin", HOME: folder, RCLONE_CONFIG: "" } as unknown as NodeJS.ProcessEnv,
		stdio: ["ignore", "ignore", "pipe"],
	});
	return new Promise((resolve, reject) => {
		let said = "";
		child.stderr.on("data", (chunk: Buffer) => {
			said += chunk.toString();
			const address = /http:\/\/(127\.0\.0\.1:\d+)/.exec(said)?.[1];
			if (address) resolve({ uri: `webdav://${address}`, stop: () => void child.kill() });
		});
		child.once("exit", () => reject(new Error(said)));
	});
}
