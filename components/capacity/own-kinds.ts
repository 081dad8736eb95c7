import type { Site } from "#components/capacity/lead.ts";

/** Which sites have nodes of their own, and which a queue of their own. */
export const hasNodes = ({ kind }: Pick<Site, "kind">): boolean => kind === "owned";
export const hasQueue = ({ provider }: Pick<Site, "provider">): boolean => provider === "slurm" || provider === "kubernetes";
