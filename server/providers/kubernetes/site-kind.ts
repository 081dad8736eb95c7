import { z } from "zod";
import { poolInterconnectsSchema } from "#server/domain/interconnect.ts";
import { defaultSpeeds, type PoolSpeeds, poolSpeedsSchema } from "#server/domain/pool-speed.ts";
import { cacheField } from "../cache-field.ts";
import { type CheckStep, checkSteps } from "../check-steps.ts";
import type { PoolObservation } from "../driver.ts";
import { mountsField } from "../mounts-field.ts";
import type { SiteKind, SitePlace } from "../site-kind.ts";
import { loadKubernetesSdk } from "./connection.ts";
import { KubernetesDriver } from "./driver.ts";
import { kubernetesSettingsSchema, type ParsedKubernetesSettings } from "./settings.ts";

/** A row also contains fields for accounting. */
const rowSchema = kubernetesSettingsSchema.extend({
	gridZone: z.string().min(1).optional(),
	pue: z.number().min(1).max(3).optional(),
	speeds: poolSpeedsSchema.optional(),
	interconnect: poolInterconnectsSchema.optional(),
});

/** @param options.dataRemotes default for every site of this process without its own */
export function kubernetesSiteKind(options: {
	resolveAccelerator: (name: string) => string | null;
	dataRemotes?: string | undefined;
}): SiteKind {
	const parse = ({ settings }: SitePlace): ParsedKubernetesSettings => {
		const { gridZone: _, pue: __, speeds: ___, interconnect: ____, volume, ...row } = rowSchema.parse(settings);
		return kubernetesSettingsSchema.parse({ ...row, ...(volume && { volume: { dataRemotes: options.dataRemotes, ...volume } }) });
	};
	const driverOf = (place: SitePlace) =>
		new KubernetesDriver(place.siteId, parse(place), { resolveAccelerator: options.resolveAccelerator });
	return {
		provider: "kubernetes",
		title: "Kubernetes",
		owned: true,
		docs: "providers/kubernetes.md",
		settings: rowSchema,
		guarded: ({ access, volume }) => ({
			// A kubeconfig may name a program that prints the token.
			...(isObject(access) && "kubeconfig" in access ? { access } : {}),
			...(isObject(volume) && "dataRemotes" in volume ? { "volume.dataRemotes": volume["dataRemotes"] } : {}),
		}),
		sentTo: () => null,
		credentials: null,
		withoutCredentials: "The token file named under Access, or the service account of Spillway's own pod.",
		fields: [
			{
				...{ name: "access", label: "Access", input: "json", required: true },
				...{
					placeholder: '{"server": "https://k8s.example.com:6443", "tokenFile": "/run/spillway/token", "caFile": "/run/spillway/ca.crt"}',
				},
				hint: 'As JSON: server and files on the host of Spillway, or {"inCluster": true}. A kubeconfig can only be set in the database.',
			},
			{
				...{ name: "namespace", label: "Namespace", input: "text", required: true, placeholder: "spillway" },
				hint: "Namespace for Spillway's jobs. Use a separate one for each site.",
			},
			{
				...{ name: "accelerators", label: "Accelerators", input: "map", required: false, placeholder: "NVIDIA-H100-80GB-HBM3 = H100-80GB" },
				hint: "GPU product = accelerator model. Known products need no line.",
			},
			{
				...{ name: "nodeGroups", label: "Node groups", input: "json", required: false },
				placeholder: '[{"product": "NVIDIA-H100-80GB-HBM3", "gpusPerNode": 8, "maxNodes": 4}]',
				hint: "As JSON: nodes that the cluster's autoscaler adds on demand and removes.",
			},
			{
				name: "queue",
				label: "Kueue LocalQueue",
				input: "text",
				required: false,
				hint: "Queue for Spillway's jobs, if the cluster runs Kueue.",
			},
			{
				...{ name: "adoptFrom", label: "Namespaces to adopt from", input: "lines", required: false, placeholder: "research" },
				hint: "One per line. Other users' Jobs in these namespaces can burst to the cloud if the policy allows. Each namespace needs the adoption permissions.",
			},
			{
				name: "image",
				label: "Image",
				input: "text",
				required: false,
				hint: "For jobs without an image. If empty, such jobs are not placed here.",
			},
			{
				name: "gridZone",
				label: "Grid zone",
				input: "text",
				required: false,
				placeholder: "DE",
				hint: "Electricity grid zone for CO2, such as DE or US-MIDA-PJM.",
			},
			{
				...{ name: "speeds", label: "Speeds", input: "map", required: false, placeholder: "H100-80GB = 2" },
				hint: "Speed of a pool or accelerator relative to cloud instances and unlisted pools: 2 means half the run time.",
			},
			{
				...{ name: "topologyKey", label: "Topology label", input: "text", required: false, placeholder: "example.com/rail" },
				hint: "Node label with one value for all nodes of a fast network. Jobs with interconnect: high stay within one value.",
			},
			{
				...{ name: "interconnect", label: "Interconnect", input: "map", required: false, placeholder: "H100-80GB = high" },
				hint: "Network between the nodes of a pool or accelerator: high or none. Jobs that need a high-bandwidth interconnect avoid none.",
			},
			mountsField(
				{ type: "nfs", source: "nfs.example.com:/imagenet" },
				"The source is server:/path, a folder of every node, or pvc:NAME in the namespace.",
			),
			cacheField(),
		],
		credentialFields: [],
		open: (place) => ({ kind: "cluster", driver: driverOf(place), loadSdk: loadKubernetesSdk }),
		async *check(place) {
			const driver = driverOf(place);
			try {
				yield* checkKubernetesSite(driver, rowSchema.parse(place.settings).speeds, options.resolveAccelerator);
			} finally {
				await driver.close({ stopJobs: false, graceMs: 0 });
			}
		},
	};
}

function checkKubernetesSite(
	driver: KubernetesDriver,
	speeds: PoolSpeeds | undefined,
	resolveAccelerator: (name: string) => string | null,
): AsyncGenerator<CheckStep> {
	const seen = driver.observe();
	// Reported by the step that awaits it.
	seen.catch(() => {});
	const { queue } = driver;
	return checkSteps([
		{
			...{ id: "identity", title: "Access", decisive: true },
			fix: "Check that this host can reach the server, that the token and the certificate authority are valid, and that the role is bound in the namespace.",
			async look() {
				await seen;
				return "Nodes and pods can be read.";
			},
		},
		{
			...{ id: "pools", title: "GPUs" },
			fix: "List the nodes' GPU products under Accelerators: kubectl get nodes -L nvidia.com/gpu.product. Speeds name a pool or an accelerator model.",
			async look() {
				const { pools } = await seen;
				if (pools.length === 0) return { failed: "No node has a GPU of a known model." };
				const text = pools.map((p) => `${p.id} (${sizeOf(p)} ${p.accelerator})`).join(", ");
				const idle = defaultSpeeds(speeds, pools, (name) => resolveAccelerator(name) ?? name);
				return idle.length > 0
					? { failed: `Speeds for unknown pools or accelerators: ${idle.join(", ")}. Pools: ${text}.` }
					: `Pools: ${text}.`;
			},
		},
		...(queue === null
			? []
			: [
					{
						...{ id: "adoption", title: "Other users' jobs" },
						fix: "Apply kubernetes-adoption-rbac.yaml in each namespace of adoptFrom, or leave adoptFrom out.",
						async look() {
							await queue.check();
							return "They can be read in each namespace of adoptFrom, and this server suspends Jobs.";
						},
					},
				]),
		{
			...{ id: "permissions", title: "Permission to run jobs" },
			fix: "",
			look: async () => ({
				unknown: "Not tested. If a permission is missing, the first job fails with the server's message.",
				fix: "Compare the bound role with the one in docs/providers.",
			}),
		},
	]);
}

function sizeOf({ nodes, nodesToCome = 0, gpusPerNode }: PoolObservation): string {
	return nodesToCome === 0 ? `${nodes} × ${gpusPerNode}` : `${nodes - nodesToCome} of up to ${nodes} × ${gpusPerNode}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}
