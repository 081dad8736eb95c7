/**
 * One hall of the demo's company as an emulated Kubernetes: `node server/bin/kubernetes-emulator.ts hall-b http://127.0.0.1:3021`.
 * Its nodes run commands as processes of this host. The token that the site reads is in SPILLWAY_HOME/<hall>/token.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { HALLS, hallFolder } from "#server/demo/company/halls.ts";
import { KubernetesEmulator } from "#server/emulators/kubernetes/emulator.ts";
import { env } from "#server/env.ts";
import { runEmulatorProgram } from "./emulator-program.ts";

const MINOR = 34;
/** The manifest that users apply. The emulated server rejects what it does not grant. */
const ROLES = new URL("../../docs/providers/kubernetes-rbac.yaml", import.meta.url);

const [name, endpoint] = process.argv.slice(2);
const hall = HALLS.find(({ id }) => id === name);
if (!hall) throw new Error(`There is no hall "${name}" in the demo; known: ${HALLS.map(({ id }) => id).join(", ")}.`);
const folder = hallFolder(env().SPILLWAY_HOME, hall.id);
mkdirSync(path.join(folder, "volume"), { recursive: true });
writeFileSync(path.join(folder, "token"), "spillway\n", { mode: 0o600 });

await runEmulatorProgram({
	setting: "the address behind kubernetes-emulator.ts",
	endpoint,
	example: "http://127.0.0.1:3021",
	async start(port) {
		const nodes = Array.from({ length: hall.nodes }, (_, i) => ({
			name: `${hall.id}-${i + 1}`,
			gpus: hall.gpusPerNode,
			labels: { "nvidia.com/gpu.product": hall.product },
		}));
		const emulator = new KubernetesEmulator({ minor: MINOR, nodes, namespace: "spillway", roles: readFileSync(ROLES, "utf8"), port });
		await emulator.start();
		return { url: emulator.url, stop: () => emulator.stop() };
	},
	ready: (url) => `emulated Kubernetes of ${hall.id} ready at ${url}: ${hall.nodes} nodes of ${hall.gpusPerNode} GPUs`,
});
