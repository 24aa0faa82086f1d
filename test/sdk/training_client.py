"""Drives the official SDK for training jobs, unmodified: python training_client.py KUBECONFIG KIND [--logs]. Prints what it saw as JSON."""

import json
import sys

from condition import until
from kubeflow.training import TrainingClient, constants, models
from kubernetes import client

NAMESPACE = "default"
# The kinds' replica types and containers, as the SDK's users write them.
REPLICAS = {
    "TFJob": ("tf_replica_specs", {"Chief": 1, "Worker": 2}),
    "PyTorchJob": ("pytorch_replica_specs", {"Master": 1, "Worker": 2}),
    "XGBoostJob": ("xgb_replica_specs", {"Master": 1, "Worker": 2}),
    "PaddleJob": ("paddle_replica_specs", {"Worker": 2}),
    "MPIJob": ("mpi_replica_specs", {"Launcher": 1, "Worker": 2}),
    "JAXJob": ("jax_replica_specs", {"Worker": 2}),
}


def job_of(kind, name, run_seconds, suspend=False):
    field, counts = REPLICAS[kind]
    container = constants.JOB_PARAMETERS[kind]["container"]
    annotations = {"sim.farloop.dev/run-seconds": run_seconds, "sim.farloop.dev/log": "step 1"}

    def replica(count):
        return models.KubeflowOrgV1ReplicaSpec(
            replicas=count,
            restart_policy="Never",
            template=client.V1PodTemplateSpec(
                metadata=client.V1ObjectMeta(annotations=annotations),
                spec=client.V1PodSpec(containers=[client.V1Container(name=container, image="example.com/train")]),
            ),
        )

    spec_of = getattr(models, f"KubeflowOrgV1{kind}Spec")
    job_model = getattr(models, f"KubeflowOrgV1{kind}")
    policy = models.KubeflowOrgV1RunPolicy(clean_pod_policy="None", suspend=suspend)
    replicas = {replica_type: replica(count) for replica_type, count in counts.items()}
    return job_model(
        api_version="kubeflow.org/v1",
        kind=kind,
        metadata=client.V1ObjectMeta(name=name, namespace=NAMESPACE),
        spec=spec_of(run_policy=policy, **{field: replicas}),
    )


def main(kubeconfig, kind, *flags):
    training = TrainingClient(config_file=kubeconfig, namespace=NAMESPACE, job_kind=kind)
    name = f"{kind.lower()}-sdk"
    seen = {}

    training.create_job(job_of(kind, name, "1"))
    until(lambda: training.is_job_created(name))
    done = training.wait_for_job_conditions(name, wait_timeout=60, polling_interval=1)
    seen["succeeded"] = training.is_job_succeeded(name)
    seen["failed"] = training.is_job_failed(name)
    seen["conditions"] = [each.type for each in done.status.conditions]
    seen["replicaStatuses"] = {
        replica_type: status.succeeded or 0 for replica_type, status in done.status.replica_statuses.items()
    }
    seen["listed"] = [job.metadata.name for job in training.list_jobs()]
    seen["pods"] = sorted(training.get_job_pod_names(name))
    seen["master"] = training.get_job_pod_names(name, is_master=True)
    if "--logs" in flags:
        logs, _ = training.get_job_logs(name, is_master=False)
        seen["logs"] = {pod: text for pod, text in sorted(logs.items())}
        _, events = training.get_job_logs(name, is_master=False, verbose=True)
        seen["toldOf"] = sorted(events)
    training.delete_job(name)

    # Suspended, changed by an update, and let go.
    held = f"{kind.lower()}-held"
    training.create_job(job_of(kind, held, "600", suspend=True))
    # Not among the conditions that the SDK waits for.
    until(lambda: any(each.type == "Suspended" and each.status == "True" for each in training.get_job_conditions(held)))
    seen["suspendedPods"] = training.get_job_pod_names(held)
    changed = training.get_job(held)
    changed.spec.run_policy.suspend = False
    training.update_job(changed, held)
    training.wait_for_job_conditions(held, expected_conditions={"Running"}, wait_timeout=60, polling_interval=1)
    seen["running"] = training.is_job_running(held)

    if kind == "PyTorchJob":
        # The SDK cannot scale; the Kubernetes client beside it can.
        scale = {"spec": {"replicas": 3}}
        custom = client.CustomObjectsApi(training.core_api.api_client)
        where = ("kubeflow.org", "v1", NAMESPACE, constants.JOB_PARAMETERS[kind]["plural"], held)
        answer = custom.patch_namespaced_custom_object_scale(*where, scale)
        seen["scaledTo"] = answer["spec"]["replicas"]
    training.delete_job(held)
    print(json.dumps(seen))


main(*sys.argv[1:])
