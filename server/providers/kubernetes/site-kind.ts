import { z } from "zod";
import { defaultSpeeds, type PoolSpeeds, poolSpeedsSchema } from "#server/domain/pool-speed.ts";
import { type CheckStep, checkSteps } from "../check-steps.ts";
import type { PoolObservation } from "../driver.ts";
import type { SiteKind, SitePlace } from "../site-kind.ts";
import { KubernetesDriver } from "./driver.ts";
import { kubernetesSettingsSchema, type ParsedKubernetesSettings } from "./settings.ts";

/** A row has what the books read too. */
const rowSchema = kubernetesSettingsSchema.extend({
	gridZone: z.string().min(1).optional(),
	pue: z.number().min(1).max(3).optional(),
	speeds: poolSpeedsSchema.optional(),
});

/** @param options.dataRemotes of this process, for every site without its own */
export function kubernetesSiteKind(options: {
	resolveAccelerator: (name: string) => string | null;
	dataRemotes?: string | undefined;
}): SiteKind {
	const parse = ({ settings }: SitePlace): ParsedKubernetesSettings => {
		const { gridZone: _, pue: __, speeds: ___, volume, ...row } = rowSchema.parse(settings);
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
		withoutCredentials: "A token in the file that the access names, or the service account of the pod in which Spillway runs.",
		fields: [
			{
				...{ name: "access", label: "Access", input: "json", required: true },
				...{
					placeholder: '{"server": "https://k8s.example.com:6443", "tokenFile": "/run/spillway/token", "caFile": "/run/spillway/ca.crt"}',
				},
				hint: 'As JSON: server and files on the host of Spillway, or {"inCluster": true}. A kubeconfig is set in the database alone.',
			},
			{
				...{ name: "namespace", label: "Namespace", input: "text", required: true, placeholder: "spillway" },
				hint: "In which jobs are made; one for each site.",
			},
			{
				...{ name: "accelerators", label: "Accelerators", input: "map", required: false, placeholder: "NVIDIA-H100-80GB-HBM3 = H100-80GB" },
				hint: "What the nodes' GPU products are called here. Known models need no line.",
			},
			{
				...{ name: "nodeGroups", label: "Groups of nodes", input: "json", required: false },
				placeholder: '[{"product": "NVIDIA-H100-80GB-HBM3", "gpusPerNode": 8, "maxNodes": 4}]',
				hint: "As JSON: nodes that the cluster's autoscaler adds when a pod asks for them, and takes away.",
			},
			{ name: "queue", label: "Kueue's LocalQueue", input: "text", required: false, hint: "That jobs are put into, where Kueue is there." },
			{
				...{ name: "adoptFrom", label: "Namespaces to adopt from", input: "lines", required: false, placeholder: "research" },
				hint: "One a line: Jobs of others there may run in the cloud, as the policy says. Each needs its own rights.",
			},
			{ name: "image", label: "Image", input: "text", required: false, hint: "Of jobs that name none; without it such a job is refused." },
			{
				name: "gridZone",
				label: "Grid zone",
				input: "text",
				required: false,
				placeholder: "DE",
				hint: "For carbon, such as DE or US-MIDA-PJM.",
			},
			{
				...{ name: "speeds", label: "Speeds", input: "map", required: false, placeholder: "H100-80GB = 2" },
				hint: "How fast jobs run in a pool or on an accelerator, beside cloud machines and pools not named here: 2 is half the time.",
			},
		],
		credentialFields: [],
		open: (place) => ({ kind: "cluster", driver: driverOf(place) }),
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
	// Reported by the step that waits for it.
	seen.catch(() => {});
	const { queue } = driver;
	return checkSteps([
		{
			...{ id: "identity", title: "The cluster answers, and lets us look", decisive: true },
			fix: "See that this host reaches the server, that the token is fresh and the authority right, and that the rights are bound in the namespace.",
			async look() {
				await seen;
				return "Nodes and pods can be read.";
			},
		},
		{
			...{ id: "pools", title: "GPUs" },
			fix: "Name the nodes' GPU products under accelerators: kubectl get nodes -L nvidia.com/gpu.product. Speeds go by a pool or an accelerator as named here.",
			async look() {
				const { pools } = await seen;
				if (pools.length === 0) return { failed: "No node with a GPU of a known model is seen." };
				const text = pools.map((p) => `${p.id} (${sizeOf(p)} ${p.accelerator})`).join(", ");
				const idle = defaultSpeeds(speeds, pools, (name) => resolveAccelerator(name) ?? name);
				return idle.length > 0
					? { failed: `Speeds that name no pool and no accelerator here: ${idle.join(", ")}. Pools: ${text}.` }
					: `Pools: ${text}.`;
			},
		},
		...(queue === null
			? []
			: [
					{
						...{ id: "adoption", title: "Jobs of others" },
						fix: "Apply kubernetes-adoption-rbac.yaml in each namespace of adoptFrom, or leave adoptFrom out.",
						async look() {
							await queue.check();
							return "They can be read in each namespace of adoptFrom, and this server suspends Jobs.";
						},
					},
				]),
		{
			...{ id: "permissions", title: "Rights to run" },
			fix: "",
			look: async () => ({
				unknown: "Whether jobs may be made there, the first one shows: it fails with the server's words.",
				fix: "Compare the bound role with the one of docs/providers.",
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
