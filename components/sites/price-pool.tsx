"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field, Input } from "#components/ui/input.tsx";
import type { SiteSettings } from "./form-values.ts";

/** A pool found on the cluster; setting its price enables it. */
export function PricePool({ siteId, pool }: { siteId: string; pool: SiteSettings["unpricedPools"][number] }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [usd, setUsd] = useState("");
	const price = useMutation(
		trpc.site.pricePool.mutationOptions({ onSettled: () => void client.invalidateQueries({ queryKey: trpc.site.pathKey() }) }),
	);
	const submit = (event: SubmitEvent) => {
		event.preventDefault();
		price.mutate({ siteId, poolId: pool.id, usdPerGpuHour: usd.trim() });
	};
	const at = `price-${siteId}-${pool.id}`;
	return (
		<form onSubmit={submit} className="mt-1.5 flex flex-wrap items-end gap-2">
			<Field
				label={`$/GPU-hour of ${pool.id}`}
				htmlFor={at}
				hint={`${pool.nodesToCome ? "up to " : ""}${pool.nodes} × ${pool.gpusPerNode} ${pool.accelerator}; set a price to use it.`}
				error={price.error ? describeError(price.error).detail : undefined}
			>
				<Input
					id={at}
					inputMode="decimal"
					value={usd}
					onChange={(e) => setUsd(e.target.value)}
					placeholder="1.90"
					aria-describedby={`${at}-note`}
				/>
			</Field>
			<Button size="sm" type="submit" busy={price.isPending} disabled={usd.trim() === ""}>
				Use pool
			</Button>
		</form>
	);
}
