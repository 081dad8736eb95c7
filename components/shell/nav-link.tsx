"use client";
import { usePathname } from "next/navigation";
import { type Screen, screenOfPath } from "#components/shell/navigation.ts";
import { RestLink } from "#components/shell/rest-link.tsx";
import { cn } from "#components/ui/cn.ts";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";

/** Sidebar entry: icon and label, or only the icon in the narrow sidebar. */
export function NavLink({ screen, count }: { screen: Screen; count?: number | undefined }) {
	const on = screenOfPath(usePathname()) === screen.id;
	return (
		<RestLink
			href={screen.href}
			aria-current={on ? "page" : undefined}
			title={screen.label}
			className={cn(
				"relative flex h-8 items-center gap-2.5 rounded-md px-2.25 font-medium max-rail:w-9.5 max-rail:justify-center max-rail:px-0",
				on ? "bg-panel text-ink ring-1 ring-line" : "text-ink-2 hover:bg-panel/60 hover:text-ink",
			)}
		>
			<Icon name={screen.icon} />
			<span className="max-rail:sr-only">{screen.label}</span>
			{count !== undefined && count > 0 && (
				<span className="tabular ml-auto text-2xs text-ink-3 max-rail:sr-only">{count.toLocaleString("en-US")}</span>
			)}
		</RestLink>
	);
}

export function PhoneLink({ screen }: { screen: Screen }) {
	const on = screenOfPath(usePathname()) === screen.id;
	return (
		<Link
			href={screen.href}
			aria-current={on ? "page" : undefined}
			className={cn(
				"flex h-14 flex-1 flex-col items-center justify-center gap-0.5 text-2xs font-medium focus-visible:-outline-offset-2",
				on ? "text-ink" : "text-ink-3",
			)}
		>
			<span
				className={cn(
					"grid h-6 w-11 place-items-center rounded-full",
					on && "bg-[color-mix(in_oklab,var(--accent)_16%,var(--panel))] text-accent",
				)}
			>
				<Icon name={screen.icon} className="size-4.5" />
			</span>
			{screen.label}
		</Link>
	);
}
