"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { describeError } from "#components/page/error-boundary.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button, IconButton } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Td, Tr } from "#components/ui/table.tsx";
import { notify } from "#components/ui/toast.tsx";
import { STORE_FIELDS } from "./store-fields.ts";

export type Store = Outputs["store"]["list"]["stores"][number];

type StoreRowProps = { store: Store; canManage: boolean; onReplace: () => void; onRemove: () => void };

export function StoreRow({ store, canManage, onReplace, onRemove }: StoreRowProps) {
	return (
		<Tr>
			<Td phone="a" className="py-2">
				<b className="font-semibold">{store.name}</b> <span className="text-ink-3">{store.team}</span>
				{store.isDefault && <Chip className="ml-2">Default</Chip>}
			</Td>
			<Td phone="c" className="font-mono text-xs whitespace-normal! wrap-anywhere">
				{store.address}
			</Td>
			<Td>{store.direct ? "Direct" : "Through Spillway"}</Td>
			<Td phone="e" className="whitespace-normal!">
				{store.checkedAt === null ? (
					<span className="text-ink-3">Not checked</span>
				) : (
					<Time atMs={store.checkedAt.getTime()} form="short" />
				)}
				{store.problem !== null && <span className="block max-w-[60ch] text-xs text-pretty text-risk-ink">{store.problem}</span>}
			</Td>
			<Td phone="b" className="text-right">
				{canManage && <Actions store={store} onReplace={onReplace} onRemove={onRemove} />}
			</Td>
		</Tr>
	);
}

function Actions({ store, onReplace, onRemove }: Omit<StoreRowProps, "canManage">) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const options = (title: string) => ({
		onSettled: () => void client.invalidateQueries({ queryKey: trpc.store.pathKey() }),
		onError: (error: unknown) => notify({ tone: "failed", title, detail: describeError(error).detail }),
	});
	const check = useMutation(
		trpc.store.check.mutationOptions({
			...options(`Could not check ${store.name}`),
			onSuccess: ({ problem }) =>
				notify(
					problem === null
						? { tone: "done", title: `${store.name} works` }
						: { tone: "failed", title: `${store.name} failed`, detail: problem },
				),
		}),
	);
	const change = useMutation(trpc.store.change.mutationOptions(options(`Could not change ${store.name}`)));
	return (
		<span className="inline-flex flex-wrap items-center justify-end gap-1.5">
			<Button size="sm" busy={check.isPending} aria-label={`Check ${store.name}`} onClick={() => check.mutate({ id: store.id })}>
				Check
			</Button>
			<Button
				size="sm"
				busy={change.isPending}
				aria-label={store.isDefault ? `Unset ${store.name} as default` : `Make ${store.name} the default`}
				onClick={() => change.mutate({ id: store.id, isDefault: !store.isDefault })}
			>
				{store.isDefault ? "Unset default" : "Make default"}
			</Button>
			{STORE_FIELDS[store.kind].some(({ at }) => at === "secret") && (
				<Button size="sm" aria-label={`Replace credentials of ${store.name}`} onClick={onReplace}>
					Credentials
				</Button>
			)}
			<IconButton size="sm" icon="x" label={`Remove ${store.name}`} onClick={onRemove} />
		</span>
	);
}
