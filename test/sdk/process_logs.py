"""Reads the logs of a training job whose replicas are processes, by the official SDK: python process_logs.py KUBECONFIG. Prints them as JSON, last."""

import json
import sys

from condition import until
from kubeflow.training import TrainingClient, constants, models
from kubernetes import client

NAME = "steps"
SCRIPT = "for step in 1 2 3; do echo step $step of $HOSTNAME; sleep 1; done"


def replica():
    container = client.V1Container(
        name=constants.JOB_PARAMETERS["PyTorchJob"]["container"], image="none", command=["sh", "-c", SCRIPT]
    )
    spec = client.V1PodSpec(
        containers=[container], node_name="here", tolerations=[client.V1Toleration(operator="Exists")]
    )
    return models.KubeflowOrgV1ReplicaSpec(
        replicas=1, restart_policy="Never", template=client.V1PodTemplateSpec(spec=spec)
    )


def main(kubeconfig):
    training = TrainingClient(config_file=kubeconfig, namespace="default", job_kind="PyTorchJob")
    replicas = {"Master": replica(), "Worker": replica()}
    policy = models.KubeflowOrgV1RunPolicy(clean_pod_policy="None")
    training.create_job(
        models.KubeflowOrgV1PyTorchJob(
            api_version="kubeflow.org/v1",
            kind="PyTorchJob",
            metadata=client.V1ObjectMeta(name=NAME, namespace="default"),
            spec=models.KubeflowOrgV1PyTorchJobSpec(run_policy=policy, pytorch_replica_specs=replicas),
        )
    )

    def phases():
        return [pod.status.phase for pod in training.get_job_pods(NAME)]

    until(lambda: len(phases()) == 2 and "Pending" not in phases())
    followed, _ = training.get_job_logs(NAME, is_master=False, follow=True)
    training.wait_for_job_conditions(NAME, wait_timeout=60, polling_interval=1)
    whole, _ = training.get_job_logs(NAME, is_master=False)
    print(json.dumps({"followed": followed, "whole": whole}))


main(*sys.argv[1:])
