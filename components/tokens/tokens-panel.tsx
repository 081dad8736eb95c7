"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmDialog } from "#components/page/confirm-dialog.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { useTime } from "#components/time/clock.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, ThActions, Tr } from "#components/ui/table.tsx";
import { notify } from "#components/ui/toast.tsx";
import { CreateTokenDialog } from "./create-token-dialog.tsx";
import { approvalText, scopesText } from "./token-words.ts";

type TokenRow = Outputs["token"]["list"][number];

/** The person's tokens; everyone's with `canManage`. */
export function TokensPanel({ canManage }: { canManage: boolean }) {
	const trpc = useTRPC();
	const { data: tokens } = useSuspenseQuery(trpc.token.list.queryOptions());
	const [isOpen, setIsOpen] = useState(false);
	const [asked, setAsked] = useState<TokenRow | null>(null);
	return (
		<Panel
			title="Tokens"
			sub={canManage ? "of everyone" : "yours"}
			actions={
				<Button size="sm" icon="plus" onClick={() => setIsOpen(true)}>
					Create token
				</Button>
			}
		>
			{tokens.length === 0 ? (
				<EmptyState icon="lock" title="No tokens yet">
					The command line and programs sign in with tokens. Create the first one.
				</EmptyState>
			) : (
				<Table aria-label="Tokens">
					<thead>
						<tr>
							<Th>Name</Th>
							{canManage && <Th>Owner</Th>}
							<Th>Scopes</Th>
							<Th n>Approval above</Th>
							<Th>Last used</Th>
							<Th>Expires</Th>
							<ThActions />
						</tr>
					</thead>
					<tbody>
						{tokens.map((token) => (
							<TokenLine key={token.id} token={token} canManage={canManage} onRevoke={() => setAsked(token)} />
						))}
					</tbody>
				</Table>
			)}
			{isOpen &&
				(canManage ? (
					<ForServices onClose={() => setIsOpen(false)} />
				) : (
					<CreateTokenDialog services={[]} onClose={() => setIsOpen(false)} />
				))}
			{asked && <RevokeDialog token={asked} onClose={() => setAsked(null)} />}
		</Panel>
	);
}

/** Administrators also create tokens of service accounts. */
function ForServices({ onClose }: { onClose: () => void }) {
	const trpc = useTRPC();
	const { data: accounts } = useSuspenseQuery(trpc.account.list.queryOptions());
	const services = accounts.filter(({ kind, disabledAt }) => kind === "service" && disabledAt === null);
	return <CreateTokenDialog services={services} onClose={onClose} />;
}

function TokenLine({ token, canManage, onRevoke }: { token: TokenRow; canManage: boolean; onRevoke: () => void }) {
	return (
		<Tr>
			<Td phone="a" className="py-2">
				<b className="font-semibold">{token.name}</b>
				<span className="block text-xs text-ink-3">
					created <Time atMs={Date.parse(token.createdAt)} />
				</span>
			</Td>
			{canManage && (
				<Td phone="c">
					{token.owner.name}
					{token.owner.service && <Chip className="ml-2">Service</Chip>}
				</Td>
			)}
			<Td phone="e" className="text-ink-2">
				{scopesText(token.scopes)}
				<span className="text-ink-3 md:hidden">
					{token.approvalAboveUsd !== null && `, approval above ${approvalText(token.approvalAboveUsd)}`},{" "}
					<Expiry expiresAt={token.expiresAt} inline />
				</span>
			</Td>
			<Td n className="text-ink-2">
				{approvalText(token.approvalAboveUsd)}
			</Td>
			<Td phone="d" className="text-ink-2">
				{token.lastUsedAt === null ? "Never used" : <Time atMs={Date.parse(token.lastUsedAt)} />}
			</Td>
			<Td>
				<Expiry expiresAt={token.expiresAt} />
			</Td>
			<Td phone="b" className="text-right">
				<Button size="sm" onClick={onRevoke} aria-label={`Revoke ${token.name}`}>
					Revoke
				</Button>
			</Td>
		</Tr>
	);
}

/** `inline`: within a sentence. */
function Expiry({ expiresAt, inline = false }: { expiresAt: string | null; inline?: boolean }) {
	const isOver = useTime((now) => (expiresAt !== null && Date.parse(expiresAt) <= now ? "over" : ""));
	if (expiresAt === null) return <span className="text-ink-2">{inline ? "never expires" : "Never"}</span>;
	if (isOver === "over") return <span className="font-semibold text-risk-ink">{inline ? "expired" : "Expired"}</span>;
	return (
		<>
			{inline && "expires "}
			<Time atMs={Date.parse(expiresAt)} />
		</>
	);
}

function RevokeDialog({ token, onClose }: { token: TokenRow; onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const revoke = useMutation(
		trpc.token.revoke.mutationOptions({
			onSettled: () => void client.invalidateQueries({ queryKey: trpc.token.pathKey() }),
			onSuccess: () => {
				notify({ tone: "done", title: `Revoked ${token.name}` });
				onClose();
			},
		}),
	);
	return (
		<ConfirmDialog
			title={`Revoke ${token.name}?`}
			description="It stops working within 5 seconds. This cannot be undone."
			action="Revoke"
			change={revoke}
			onConfirm={() => revoke.mutate({ id: token.id })}
			onClose={onClose}
		/>
	);
}
