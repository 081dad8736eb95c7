import type { Site } from "#components/capacity/lead.ts";

/** Site kinds with own nodes, and those with their own queue. */
export const hasNodes = ({ kind }: Pick<Site, "kind">): boolean => kind === "owned";
export const hasQueue = ({ provider }: Pick<Site, "provider">): boolean => provider === "slurm" || provider === "kubernetes";
