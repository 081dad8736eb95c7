"use client";
import { usePathname } from "next/navigation";
import { useTheme } from "next-themes";
import { actionsFor, screenOfPath, screensFor } from "#components/shell/navigation.ts";
import type { ShellUser, SignOut } from "#components/shell/session.ts";
import { cn } from "#components/ui/cn.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { SegmentedControl } from "#components/ui/segmented.tsx";

const ROW = "flex h-11 items-center gap-3 rounded-lg px-2 font-medium";

/** Phone menu: all screens, theme and account. */
export function MoreSheet({ onClose, user, signOut }: { onClose: () => void; user: ShellUser; signOut: SignOut }) {
	const here = screenOfPath(usePathname());
	const { theme = "system", setTheme } = useTheme();
	return (
		<Dialog open onClose={onClose} title={user.role} description={[user.name, user.team].filter(Boolean).join(", ")} shape="sheet">
			<nav aria-label="All screens" className="-mx-2">
				{[...screensFor(user.permissions), ...actionsFor(user.permissions)].map((s) => (
					<Link
						key={s.id}
						href={s.href}
						onClick={onClose}
						aria-current={s.id === here ? "page" : undefined}
						className={cn(ROW, s.id === here && "bg-sunken")}
					>
						<Icon name={s.icon} className="text-ink-3" />
						{s.label}
					</Link>
				))}
			</nav>
			<div className="mt-3 flex items-center justify-between border-t pt-3">
				<span className="text-ink-2">Theme</span>
				<SegmentedControl
					label="Theme"
					name="theme"
					value={theme}
					onChange={setTheme}
					options={[
						{ value: "system", label: "System" },
						{ value: "light", label: "Light" },
						{ value: "dark", label: "Dark" },
					]}
				/>
			</div>
			<button type="button" onClick={() => void signOut()} className={cn(ROW, "mt-2 -mx-2 w-full text-ink-2")}>
				<Icon name="signOut" className="text-ink-3" />
				Sign out
			</button>
		</Dialog>
	);
}
