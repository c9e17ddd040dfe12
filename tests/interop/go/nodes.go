// Nodes and lists of nodes, through tpu/v2 and tpu/v1.
package main

import (
	"context"
	"net"
	"strconv"

	tpu1 "google.golang.org/api/tpu/v1"
	tpu2 "google.golang.org/api/tpu/v2"
)

func node2(node *tpu2.Node) answer {
	addresses, externals := []string{}, []string{}
	for _, one := range node.NetworkEndpoints {
		addresses = append(addresses, address(one.IpAddress, one.Port))
		if one.AccessConfig != nil {
			externals = append(externals, one.AccessConfig.ExternalIp)
		}
	}
	return answer{
		"status": 200, "name": node.Name, "state": node.State, "health": node.Health, "health_description": node.HealthDescription,
		"description": node.Description, "id": strconv.FormatInt(node.Id, 10), "accelerator_type": node.AcceleratorType,
		"accelerator":     node.AcceleratorConfig.Type + " " + node.AcceleratorConfig.Topology,
		"runtime_version": node.RuntimeVersion, "create_time": node.CreateTime, "network": node.NetworkConfig.Network,
		"account": node.ServiceAccount.Email, "spot": yes(node.SchedulingConfig.Spot), "labels": labels(node.Labels),
		"addresses": addresses, "external_ips": externals, "usable": yes(node.State == "READY" && len(addresses) > 0),
	}
}

func node1(node *tpu1.Node) answer {
	addresses := []string{}
	for _, one := range node.NetworkEndpoints {
		addresses = append(addresses, address(one.IpAddress, one.Port))
	}
	out := answer{
		"status": 200, "name": node.Name, "state": node.State, "health": node.Health, "health_description": node.HealthDescription,
		"description": node.Description, "accelerator_type": node.AcceleratorType, "runtime_version": node.TensorflowVersion,
		"create_time": node.CreateTime, "labels": labels(node.Labels),
	}
	if node.IpAddress != "" {
		out["ip_address_and_port"] = net.JoinHostPort(node.IpAddress, node.Port)
		if len(addresses) == 0 {
			addresses = append(addresses, net.JoinHostPort(node.IpAddress, node.Port))
		}
	}
	out["addresses"] = addresses
	out["usable"] = yes(node.State == "READY" && len(addresses) > 0)
	return out
}

func list(pages [][]answer) answer {
	names, states, addresses := []any{}, []any{}, []string{}
	for _, page := range pages {
		for _, node := range page {
			names = append(names, node["name"])
			states = append(states, node["state"])
			addresses = append(addresses, node["addresses"].([]string)...)
		}
	}
	return answer{"status": 200, "count": len(names), "pages": len(pages), "names": names, "states": states, "addresses": addresses}
}

func ask2(ctx context.Context, q question) (answer, error) {
	service, err := tpu2.NewService(ctx, q.options()...)
	if err != nil {
		return nil, err
	}
	nodes := service.Projects.Locations.Nodes
	if q.Kind == "node" {
		node, err := nodes.Get(q.parent() + "/nodes/" + q.Node).Context(ctx).Do()
		if err != nil {
			return failed(err, "no")
		}
		return node2(node), nil
	}
	call := nodes.List(q.parent())
	if q.PageSize != 0 {
		call.PageSize(q.PageSize)
	}
	if q.PageToken != "" {
		call.PageToken(q.PageToken)
	}
	pages := [][]answer{}
	err = call.Pages(ctx, func(response *tpu2.ListNodesResponse) error {
		page := []answer{}
		for _, node := range response.Nodes {
			page = append(page, node2(node))
		}
		pages = append(pages, page)
		return nil
	})
	if err != nil {
		return failed(err, "")
	}
	return list(pages), nil
}

func ask1(ctx context.Context, q question) (answer, error) {
	service, err := tpu1.NewService(ctx, q.options()...)
	if err != nil {
		return nil, err
	}
	nodes := service.Projects.Locations.Nodes
	if q.Kind == "node" {
		node, err := nodes.Get(q.parent() + "/nodes/" + q.Node).Context(ctx).Do()
		if err != nil {
			return failed(err, "no")
		}
		return node1(node), nil
	}
	call := nodes.List(q.parent())
	if q.PageSize != 0 {
		call.PageSize(q.PageSize)
	}
	if q.PageToken != "" {
		call.PageToken(q.PageToken)
	}
	pages := [][]answer{}
	err = call.Pages(ctx, func(response *tpu1.ListNodesResponse) error {
		page := []answer{}
		for _, node := range response.Nodes {
			page = append(page, node1(node))
		}
		pages = append(pages, page)
		return nil
	})
	if err != nil {
		return failed(err, "")
	}
	return list(pages), nil
}
