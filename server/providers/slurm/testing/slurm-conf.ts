import path from "node:path";

export interface ConfInput {
	dir: string;
	host: string;
	controllerPort: number;
	nodePorts: readonly number[];
	gpusPerNode: number;
	/** Address of slurmdbd, which keeps the accounts and enforces their limits, with multifactor priorities; null: no accounting. */
	accountingPort: number | null;
}

/** Names of the virtual nodes, in Slurm's order. */
export function nodeNames(count: number): string[] {
	return Array.from({ length: count }, (_, i) => `gpu${String(i + 1).padStart(2, "0")}`);
}

/**
 * Several nodes on one host, on loopback, with jobs that really run, quickly: nodes may declare more cores than the host has
 * (`config_overrides`). GPUs are device files without a device, so that Slurm assigns them and sets CUDA_VISIBLE_DEVICES.
 */
export function slurmConf({ dir, host, controllerPort, nodePorts, gpusPerNode, accountingPort }: ConfInput): string {
	const names = nodeNames(nodePorts.length);
	const nodes = names.map(
		(name, i) =>
			`NodeName=${name} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${nodePorts[i]} Boards=1 SocketsPerBoard=1 CoresPerSocket=64 ThreadsPerCore=1 RealMemory=1000000 Gres=gpu:h100:${gpusPerNode} State=UNKNOWN`,
	);
	return `${[
		"ClusterName=home",
		`SlurmctldHost=${host}(127.0.0.1)`,
		"SlurmUser=slurm",
		"SlurmdUser=root",
		`SlurmctldPort=${controllerPort}`,
		"CommunicationParameters=NoInAddrAny,NoCtldInAddrAny",
		"AuthType=auth/munge",
		`AuthInfo=socket=${path.join(dir, "run0/munge.sock")}`,
		"CredType=cred/munge",
		"AuthAltTypes=auth/jwt",
		`AuthAltParameters=jwt_key=${path.join(dir, "etc/jwt.key")}`,
		"ProctrackType=proctrack/linuxproc",
		"TaskPlugin=task/none",
		"SwitchType=switch/none",
		"MpiDefault=none",
		"JobAcctGatherType=jobacct_gather/none",
		// Read by `sacct -c`, without a database.
		"JobCompType=jobcomp/filetxt",
		`JobCompLoc=${path.join(dir, "log/jobs")}`,
		"SelectType=select/cons_tres",
		"SelectTypeParameters=CR_CPU_Memory",
		"DefMemPerCPU=4000",
		"SlurmdParameters=config_overrides",
		"SchedulerType=sched/backfill",
		"SchedulerParameters=batch_sched_delay=0,sched_min_interval=1000,bf_interval=1",
		"GresTypes=gpu",
		"MinJobAge=300",
		"MaxJobCount=30000",
		"ReturnToService=2",
		"SlurmctldTimeout=30",
		"MessageTimeout=2",
		"SlurmdTimeout=60",
		"KillWait=2",
		`StateSaveLocation=${path.join(dir, "state")}`,
		`SlurmdSpoolDir=${path.join(dir, "spool/%n")}`,
		`SlurmctldPidFile=${path.join(dir, "run/slurmctld.pid")}`,
		`SlurmdPidFile=${path.join(dir, "run/slurmd.%n.pid")}`,
		`SlurmctldLogFile=${path.join(dir, "log/slurmctld.log")}`,
		`SlurmdLogFile=${path.join(dir, "log/slurmd.%n.log")}`,
		// The default differs between versions.
		...(accountingPort === null ? ["PriorityType=priority/basic"] : accountingLines(dir, accountingPort)),
		...nodes,
		`PartitionName=gpu Nodes=${names.join(",")} Default=YES MaxTime=INFINITE State=UP`,
	].join("\n")}\n`;
}

function accountingLines(dir: string, port: number): string[] {
	return [
		"AccountingStorageType=accounting_storage/slurmdbd",
		"AccountingStorageHost=127.0.0.1",
		`AccountingStoragePort=${port}`,
		`AccountingStoragePass=${path.join(dir, "run0/munge.sock")}`,
		"AccountingStorageTRES=gres/gpu",
		"AccountingStorageEnforce=associations,limits,qos",
		"PriorityType=priority/multifactor",
		"PriorityWeightFairshare=1000000",
		// The smallest possible value: fair share is recomputed each minute.
		"PriorityCalcPeriod=1",
	];
}

/** For a database on the given port with user `slurm` and password `slurm`; it listens only on loopback. */
export function slurmdbdConf({ dir, host, port, databasePort }: { dir: string; host: string; port: number; databasePort: number }): string {
	return `${[
		"AuthType=auth/munge",
		`AuthInfo=socket=${path.join(dir, "run0/munge.sock")}`,
		`DbdHost=${host}`,
		"DbdAddr=127.0.0.1",
		`DbdPort=${port}`,
		"SlurmUser=slurm",
		`LogFile=${path.join(dir, "log/slurmdbd.log")}`,
		`PidFile=${path.join(dir, "run/slurmdbd.pid")}`,
		"CommunicationParameters=NoInAddrAny",
		"StorageType=accounting_storage/mysql",
		"StorageHost=127.0.0.1",
		`StoragePort=${databasePort}`,
		"StorageUser=slurm",
		"StoragePass=slurm",
		"StorageLoc=slurm_acct",
	].join("\n")}\n`;
}

/** `found`: how many of its GPUs a node finds, if not all of them. */
export function gresConf({ dir, nodePorts, gpusPerNode }: ConfInput, found: ReadonlyMap<string, number> = new Map()): string {
	const lines = nodeNames(nodePorts.length).map((name) => {
		const count = found.get(name) ?? gpusPerNode;
		return `NodeName=${name} Name=gpu Type=h100 File=${path.join(dir, "dev", count === 1 ? "gpu0" : `gpu[0-${count - 1}]`)}\n`;
	});
	return lines.join("");
}
