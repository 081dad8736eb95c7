import type { Outputs } from "#components/trpc/outputs.ts";

export type SecretRow = Outputs["secret"]["list"][number];
