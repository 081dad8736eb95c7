import path from "node:path";

/** An owned cluster of the demo's company. */
export interface Hall {
	id: "hall-b" | "hall-c";
	name: string;
	accelerator: "H100-80GB" | "A100-80GB";
	/** As in the nodes' label. */
	product: string;
	nodes: number;
	gpusPerNode: number;
	gridZone: string;
}

export const HALLS: readonly Hall[] = [
	{
		...{ id: "hall-b", name: "Hall B, emulated", accelerator: "H100-80GB", product: "NVIDIA-H100-80GB-HBM3" },
		...{ nodes: 6, gpusPerNode: 8, gridZone: "DE" },
	},
	{
		...{ id: "hall-c", name: "Hall C, emulated", accelerator: "A100-80GB", product: "NVIDIA-A100-SXM4-80GB" },
		...{ nodes: 8, gpusPerNode: 8, gridZone: "DE" },
	},
];

export function hallFolder(home: string, id: Hall["id"]): string {
	return path.join(home, id);
}
